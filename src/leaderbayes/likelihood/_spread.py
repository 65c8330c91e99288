"""Standard errors of an estimate: NaN where the rounds show no variation to take them from."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.shrinkage import of_differences
from leaderbayes._types import Floats

# A variance from rounds below this share of that of independent matches is rounding error.
_NOTHING = 1e-9
# A variance of the model's below this share of its largest: a hypothesis leaves no freedom.
_FIXED = 1e-12


def require_fitted(given: Any) -> None:
    """Raise unless this is an estimate of `leaderbayes.likelihood`."""
    if not isinstance(given, xr.Dataset) or "epp" not in given or given["epp"].ndim != 1:
        raise LeaderbayesError(
            "This takes an estimate: pass a result of a function of leaderbayes.likelihood."
        )


def trust(fit: xr.Dataset) -> dict[str, Any]:
    """Return ``converged`` and ``warnings``, attrs of whatever is made of an estimate."""
    return {"converged": 1, "warnings": str(fit.attrs["warnings"])}


def coefficients(fit: xr.Dataset, name: str = "covariance") -> tuple[Floats, Floats]:
    """Return strengths, and the intercept if any, in one vector, and their covariance; or raise."""
    if name not in fit:
        raise LeaderbayesError(
            "This estimate has no covariance, so no intervals and tests: use covariance='model' "
            "or 'clustered'."
        )
    epp, cov = fit.variables["epp"].to_numpy(), fit.variables[name].to_numpy()
    if "intercept" not in fit:
        return epp, cov
    along = fit["intercept_covariance"].to_numpy()[:, None]
    corner = np.array([[float(fit["intercept_variance"])]])
    return np.append(epp, float(fit["intercept"])), np.block([[cov, along], [along.T, corner]])


def player_errors(fit: xr.Dataset) -> Floats:
    """Return standard errors of epp (player,); NaN of an estimate without covariance."""
    if "covariance" not in fit:
        return np.full(fit.sizes["player"], np.nan)
    return _errors(*(np.diag(fit.variables[name]) for name in ("covariance", "covariance_model")))


def pair_errors(fit: xr.Dataset, sign: Floats | float = 0.0) -> Floats:
    """Return standard errors of b_i - b_j + sign_ij b_0, (player, player)."""
    m = fit.sizes["player"]

    def variances(name: str) -> Floats:
        _, covariance = coefficients(fit, name)
        variance = of_differences(covariance[:m, :m])
        if "intercept" in fit:
            along = covariance[:m, m]
            between = along[:, None] - along
            variance = variance + sign**2 * covariance[m, m] + 2.0 * sign * between
        return np.asarray(variance)

    return _errors(variances("covariance"), variances("covariance_model"))


def _errors(variance: Floats, model: Floats) -> Floats:
    """Take roots of variances; those of the model, of independent matches, tell which are 0."""
    fixed = model <= _FIXED * model.max()
    seen = variance > _NOTHING * model
    return np.where(fixed, 0.0, np.where(seen, np.sqrt(np.maximum(variance, 0.0)), np.nan))


def vary(matrix: Floats, fit: xr.Dataset) -> bool:
    """Check whether every combination of K x, K = ``matrix``, has a variance."""
    _, covariance = coefficients(fit)
    _, model = coefficients(fit, "covariance_model")
    least = float(np.linalg.eigvalsh(matrix @ covariance @ matrix.T)[0])
    scale = float(np.linalg.eigvalsh(matrix @ matrix.T)[-1] * np.diag(model).max())
    return least > _NOTHING * scale


def without_variation(fit: xr.Dataset, what: str = "rounds") -> str | None:
    """Return a warning that names NaN standard errors, if there are any."""
    if "covariance" not in fit:
        return None
    unknown, between = np.isnan(player_errors(fit)), np.isnan(pair_errors(fit))
    players = [str(name) for name in fit["player"].to_numpy()]
    alone = [players[i] for i in np.flatnonzero(unknown)]
    pairs = [f"{players[i]} - {players[j]}" for i, j in np.argwhere(np.triu(between))]
    if not (names := alone or pairs):
        return None
    kind = "strength" if alone else "difference"
    more = f" and {len(names) - 1} more {kind}s" if len(names) > 1 else ""
    return (
        f"LB015 All {what} agree on the {kind} {names[0][:60]}{more}: its standard error is NaN. "
        f"Add {what}, or use covariance='model' (--weight 1)."
    )
