// Sorting, filtering, switching, comparing and heat maps: a few lines each on the page's own
// elements. Names in the data reach the page as text only (textContent), never as markup.
"use strict";
(() => {
  const json = (id) => JSON.parse(document.getElementById(id).textContent);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const $ = (id) => document.getElementById(id);
  const element = (name, text, attributes = {}) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const { scale, palettes, white, boards } = json("numbers");

  // Tables ------------------------------------------------------------------------------------

  const sort = (button) => {
    const th = button.closest("th"), table = th.closest("table"), column = th.cellIndex;
    const first = button.dataset.first === "asc" ? "ascending" : "descending";
    const other = first === "ascending" ? "descending" : "ascending";
    const way = th.getAttribute("aria-sort") === first ? other : first;
    for (const one of all("th[aria-sort]", table)) one.setAttribute("aria-sort", "none");
    th.setAttribute("aria-sort", way);
    const sign = way === "ascending" ? 1 : -1;
    const keyed = [...table.tBodies[0].rows].map((row) => {
      const text = row.cells[column].dataset.value, value = Number(text);
      return { row, text, value };
    });
    const numbers = keyed.every((one) => one.text.trim() !== "" && !Number.isNaN(one.value));
    keyed.sort((a, b) => sign * (numbers ? a.value - b.value
      : a.text.localeCompare(b.text, undefined, { numeric: true })));
    table.tBodies[0].append(...keyed.map((one) => one.row));
  };

  const filter = (input) => {
    const part = input.closest("div, section"), asked = input.value.trim().toLowerCase();
    const rows = [...part.querySelector("table.filtered").tBodies[0].rows];
    for (const row of rows) {
      row.hidden = !row.querySelector("th").dataset.value.toLowerCase().includes(asked);
    }
    const left = rows.filter((row) => !row.hidden).length;
    part.querySelector(".count").textContent = asked ? `${left} of ${rows.length} shown` : "";
  };

  for (const button of all("button.sort")) button.addEventListener("click", () => sort(button));
  for (const input of all(".filter input")) input.addEventListener("input", () => filter(input));
  // On paper nothing opens when it is pressed.
  addEventListener("beforeprint", () => {
    for (const details of all("#model details")) details.open = true;
  });
  if (!boards.length) return;

  // Numbers -----------------------------------------------------------------------------------

  let board = boards[0];

  // Pairs stand row by row, each once, the higher-placed player first.
  const pair = (i, j) => {
    const [a, b] = i < j ? [i, j] : [j, i], m = board.players.length;
    const at = a * (2 * m - a - 1) / 2 + b - a - 1, turned = i > j;
    const chance = (values, k = at) => (turned ? scale - values[k] : values[k]) / scale;
    const ends = ({ lower, upper }, k = at) =>
      (turned ? [upper, lower] : [lower, upper]).map((values) => chance(values, k));
    const better = chance(board.better);
    const own = board.record, k = own ? own.of[at] : 0, played = own ? own.played[k] : 0;
    const record = !played ? null : {
      played, mean: chance(own.mean, k), interval: range(...ends(own, k)), tied: own.tied[k],
      won: turned ? played - own.won[k] : own.won[k],
    };
    if (record) record.won -= record.tied / 2;
    if (!board.gap) {
      const win = chance(board.win.mean);
      return { better, shown: win, record, by: short(win), interval: range(...ends(board.win)) };
    }
    const [gap, low, high] = ["mean", "lower", "upper"].map((name) => board.gap[name][at]);
    const sides = turned ? [-high, -low] : [low, high];
    const interval = sides.map(unit).join(" to ");
    return { better, shown: better, record, by: unit(turned ? -gap : gap), interval };
  };
  // A difference in the metric's unit; zero has no sign.
  const unit = (value) => {
    const text = Math.abs(value).toFixed(board.digits);
    return value < 0 && Number(text) ? `\u2212${text}` : text;
  };
  // What rounds to 0 or 1 is neither.
  const short = (p, digits = 2) => {
    const least = 10 ** -digits;
    if (p < least / 2) return `<${least}`;
    return p > 1 - least / 2 ? `>${(1 - least).toFixed(digits)}` : p.toFixed(digits);
  };
  const range = (lower, upper) => `${short(lower)} to ${short(upper)}`;

  // Two players -------------------------------------------------------------------------------

  const first = $("first"), second = $("second"), answer = $("answer");
  const compare = () => {
    const i = Number(first.value), j = Number(second.value);
    const name = (k) => element("bdi", board.players[k]);
    $("split").hidden = i === j;
    if (i === j) {
      answer.replaceChildren("Pick two different players.");
      return;
    }
    const p = pair(i, j), sure = Math.max(p.better, 1 - p.better) >= board.prob;
    const percent = `${Number((100 * board.prob).toFixed(6))}\u00a0%`;
    answer.replaceChildren(
      name(i), " is better than ", name(j), " with probability ", element("strong", short(p.better, 3)),
      board.gap ? `. Its ${board.quantity} minus the other's is ` : `. It beats it ${board.scope} with probability `,
      element("strong", p.by), ` (${percent} interval ${p.interval}). `,
      `At ${percent} they are ${sure ? "distinguishable" : "indistinguishable"}. `,
    );
    if (p.record) {
      const { won, tied, played, mean, interval } = p.record;
      answer.append(`Its head-to-head ${board.own} alone (won ${won}${tied ? ` and tied ${tied}` : ""} of ${played}) `,
        `imply a win probability of ${short(mean)} (${interval}). `, board.blend || "");
    }
    const [won, lost] = $("split").children;
    won.style.width = `${100 * p.better}%`;
    lost.style.width = `${100 - 100 * p.better}%`;
  };
  const pick = (i, j) => {
    [first.value, second.value] = [i, j];
    compare();
  };
  first.addEventListener("change", compare);
  second.addEventListener("change", compare);
  $("swap").addEventListener("click", () => pick(second.value, first.value));

  // Heat maps, which are tables ------------------------------------------------------------------

  const heat = (id, heads, count, cell) => {
    const palette = palettes[id], table = element("table"), top = element("tr");
    const root = $(`heat-${id}`), m = board.players.length;
    // Numbers in the cells, where they have room.
    table.className = (root.clientWidth - 170) / count > 34 ? "" : "dense";
    top.append(element("td"), ...heads.map((text) => {
      const th = element("th", undefined, { scope: "col" });
      th.append(element("bdi", text));
      return th;
    }));
    const body = element("tbody");
    for (let i = 0; i < m; i += 1) {
      const row = element("tr"), th = element("th", undefined, { scope: "row" });
      th.append(element("bdi", board.labels[i]));
      row.append(th);
      for (let k = 0; k < count; k += 1) {
        const found = cell(i, k), td = element("td");
        if (found) {
          const [p, text, title] = found;
          td.textContent = text;
          td.title = title;
          td.style.background = palette[Math.round(p * (palette.length - 1))];
          td.style.color = p >= white[id] ? "#fff" : "#000";
        }
        row.append(td);
      }
      body.append(row);
    }
    const head = element("thead");
    head.append(top);
    table.append(head, body);
    root.replaceChildren(table);
    return body;
  };
  const draw = () => {
    const { labels, players, rank } = board, m = players.length;
    const body = heat("win", labels, m, (i, j) => {
      if (i === j) return null;
      const p = pair(i, j);
      return [p.shown, short(p.shown), `${players[i]} \u2013 ${players[j]}: ${p.by} (${p.interval}), better ${short(p.better, 3)}`];
    });
    body.addEventListener("click", ({ target }) => {
      const cell = target.closest("td");
      if (!cell || !cell.title) return;
      pick(cell.parentElement.rowIndex - 1, cell.cellIndex - 1);
      answer.scrollIntoView({ block: "nearest" });
    });
    heat("rank", rank[0].map((_, k) => k + 1), rank[0].length, (i, k) => {
      const p = rank[i][k] / scale, upTo = rank[i].slice(0, k + 1).reduce((a, b) => a + b, 0) / scale;
      // What rounds to nothing is left blank.
      return [p, p >= 0.005 ? short(p) : "", `${players[i]}: rank ${k + 1} ${short(p, 3)}, this or better ${short(upTo, 3)}`];
    });
  };

  // The tournament that is shown --------------------------------------------------------------

  const show = (k) => {
    board = boards[k];
    for (const part of all("[data-board]")) part.hidden = Number(part.dataset.board) !== k;
    for (const select of [first, second]) {
      select.replaceChildren(
        ...board.players.map((name, i) => element("option", name, { value: i })));
    }
    const size = all(`[data-board="${k}"] table.filtered tbody tr`).length;
    const text = size > board.players.length ? `The best ${board.players.length} of ${size}.` : "";
    for (const some of all(".some")) some.textContent = text;
    pick(0, Math.min(1, board.players.length - 1));
    draw();
  };
  const choose = $("switch");
  choose?.addEventListener("change", () => show(Number(choose.value)));
  for (const button of all("[data-show]")) {
    button.addEventListener("click", () => {
      choose.value = button.dataset.show;
      show(Number(choose.value));
      $("leaderboard").scrollIntoView();
      choose.focus({ preventScroll: true });
    });
  }
  show(0);
})();
