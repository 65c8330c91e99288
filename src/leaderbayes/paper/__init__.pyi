from ._bias_curve import bias_curve as bias_curve
from ._plot_auc import plot_auc as plot_auc
from ._plot_bias import plot_bias as plot_bias
from ._plot_multiplicity import plot_multiplicity as plot_multiplicity
from ._realisation import realisation as realisation
from ._simulate import simulate as simulate
