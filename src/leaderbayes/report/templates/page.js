// Sorting, filtering, switching and comparing: a few lines each on the page's own elements, where a
// library of tables would weigh ten times as much. Charts are Bokeh's. Names in the data reach the
// page as text only (textContent, columns of Bokeh), never as markup.
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
  const { scale, white, boards } = json("numbers");

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

  // Probabilities of pairs stand row by row, each pair once, the higher-placed player first.
  const place = (i, j) => {
    const [a, b] = i < j ? [i, j] : [j, i], m = board.players.length;
    return a * (2 * m - a - 1) / 2 + b - a - 1;
  };
  const pair = (i, j) => {
    const at = place(i, j), chance = (values) => (i < j ? values[at] : scale - values[at]) / scale;
    const better = chance(board.better);
    if (board.gap) {
      const ends = ["mean", "lower", "upper"].map((name) => board.gap[name][at]);
      const [gap, lower, upper] = i < j ? ends : [ends[0], ends[2], ends[1]].map((value) => -value);
      return { better, shown: better, gap, interval: `${unit(lower)} to ${unit(upper)}` };
    }
    const win = chance(board.win), ends = [chance(board.lower), chance(board.upper)];
    const [lower, upper] = i < j ? ends : ends.reverse();
    return { better, shown: win, win, interval: range({ lower, upper }) };
  };
  // A difference in the metric's unit; zero has no sign.
  const unit = (value) => {
    const text = Math.abs(value).toFixed(board.digits);
    return value < 0 && Number(text) ? `\u2212${text}` : text;
  };
  // What a pair's own matches say, or null where there are none.
  const recorded = (i, j) => {
    if (!board.record) return null;
    const at = place(i, j), { won, tied, played } = board.record;
    if (!played[at]) return null;
    const [mean, lower, upper] =
      [board.record.mean, board.record.lower, board.record.upper].map((values) => values[at] / scale);
    const all = { tied: tied[at], played: played[at] };
    return i < j ? { mean, lower, upper, won: won[at] - all.tied / 2, ...all }
      : { mean: 1 - mean, lower: 1 - upper, upper: 1 - lower, won: all.played - won[at] - all.tied / 2, ...all };
  };
  const fixed = (p, digits) => {
    const least = 10 ** -digits;
    if (p < least / 2) return `less than ${least}`;
    return p > 1 - least / 2 ? `more than ${(1 - least).toFixed(digits)}` : p.toFixed(digits);
  };
  // In cells: what rounds to 0 or 1 is neither.
  const short = (p, digits = 2) => {
    const least = 10 ** -digits;
    if (p < least / 2) return `<${least}`;
    return p > 1 - least / 2 ? `>${(1 - least).toFixed(digits)}` : p.toFixed(digits);
  };
  const range = ({ lower, upper }) => {
    if (lower > 0.995) return "above 0.99";
    return upper < 0.005 ? "below 0.01" : `${short(lower)} to ${short(upper)}`;
  };

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
      name(i), " is better than ", name(j), " with probability ", element("strong", fixed(p.better, 3)),
      ...(board.gap ? [`. Its ${board.quantity} less the other's is `, element("strong", unit(p.gap))]
        : [`. It beats it ${board.scope} with probability `, element("strong", fixed(p.win, 2))]),
      ` (${percent} interval ${p.interval}). `,
      `At ${percent} they are ${sure ? "told apart" : "not told apart"}. `,
    );
    const own = recorded(i, j);
    if (own) {
      const tied = own.tied ? ` and tied ${own.tied}` : "";
      answer.append(
        `Their own ${board.own} alone, of which it won ${own.won}${tied} of ${own.played}, ${board.says} `,
        element(board.fits ? "span" : "strong", fixed(own.mean, 2)), ` (${range(own)})`,
        board.fits ? "." : ": go by these, for the model does not describe this board.",
      );
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

  // Charts ------------------------------------------------------------------------------------

  const charts = {};
  const columns = (names) => Object.fromEntries(names.map((name) => [name, []]));
  const cells = (written, numbered) => {
    const win = columns(["x", "y", "player", "opponent", "win", "won", "interval", "better"]);
    const text = columns(["x", "y", "text", "ink"]);
    const rank = columns(["x", "y", "player", "rank", "share", "written", "top"]);
    const places = columns(["x", "y", "text", "ink"]);
    const { labels, players } = board, add = (to, row) => {
      for (const [key, value] of Object.entries(row)) to[key].push(value);
    };
    players.forEach((player, i) => {
      players.forEach((opponent, j) => {
        if (i === j) return;
        const p = pair(i, j), at = { x: labels[j], y: labels[i] };
        const won = short(p.shown), better = short(p.better, 3);
        const interval = board.gap ? `${unit(p.gap)} (${p.interval})` : p.interval;
        add(win, { ...at, player, opponent, win: p.shown, won, interval, better });
        const ink = p.shown >= white.win ? "white" : "black";
        if (written) add(text, { ...at, text: won, ink });
      });
      board.rank[i].forEach((whole, k) => {
        const share = whole / scale, at = { x: k + 1, y: labels[i] };
        add(rank, { ...at, player, rank: k + 1, share, written: short(share, 3),
          top: short(board.top[i][k] / scale, 3) });
        // What rounds to nothing is left blank.
        if (numbered && share >= 0.005) {
          add(places, { ...at, text: short(share), ink: share >= white.rank ? "white" : "black" });
        }
      });
    });
    return { win, text, rank, places };
  };
  const draw = () => {
    if (!charts.win) return;
    const { labels } = board;
    const down = [...labels].reverse(), m = labels.length;
    const side = Math.min(Math.max(24 * m, 96), Math.max(9 * m, 600));
    const longest = Math.max(...labels.map((label) => label.length));
    // Numbers in the cells, where they have room.
    const room = (id, count) => ($(id).clientWidth - 7 * longest) / count > 34;
    const few = board.rank[0].length <= 20;
    const { win, text, rank, places } =
      cells(room("chart-win", m), few && room("chart-rank", board.rank[0].length));
    charts.win.x_range.factors = labels;
    charts.win.height = side + Math.min(7 * longest + 12, 170);
    charts.rank.height = side + 60;
    charts.win.y_range.factors = charts.rank.y_range.factors = down;
    Object.assign(charts.rank.x_range, { start: 0.5, end: board.rank[0].length + 0.5 });
    charts.win.renderers[0].data_source.data = win;
    charts.rank.renderers[0].data_source.data = rank;
    charts.win.renderers[1].data_source.data = text;
    charts.rank.renderers[1].data_source.data = places;
    if (!charts.fit) return;
    const { line, less, edges, bars } = board;
    charts.fit.below[0].axis_label = less ? "deviance, less that of the board" : "deviance";
    charts.fit.renderers[0].data_source.data =
      { left: edges.slice(0, -1), right: edges.slice(1), top: bars };
    charts.fit.renderers[1].data_source.data =
      { x: [line, line], y: [0, 1.1 * Math.max(...bars, 1)] };
  };
  // A key does nothing in a chart: Tab goes on to its table.
  const passed = (root) => {
    for (const part of all("*", root)) {
      if (part.tabIndex === 0) part.tabIndex = -1;
      if (part.shadowRoot) passed(part.shadowRoot);
    }
  };
  const embed = async () => {
    const items = json("charts");
    const { Document } = Bokeh.require("document");
    const documents = items.map(({ doc }) => Document.from_json(doc));
    for (const made of documents) charts[made.roots()[0].name] = made.roots()[0];
    // Filled before they are drawn, so that they are drawn once.
    draw();
    const { data_source } = charts.win.renderers[0];
    data_source.selected.properties.indices.change.connect(() => {
      const [at] = data_source.selected.indices;
      if (at === undefined) return;
      const m = board.players.length - 1, i = Math.floor(at / m), j = at % m;
      pick(i, j < i ? j : j + 1);
      answer.scrollIntoView({ block: "nearest" });
    });
    await Promise.all(documents.map((made, k) =>
      Bokeh.embed.add_document_standalone(made, $(items[k].target_id))));
    all(".chart").forEach(passed);
    document.documentElement.dataset.drawn = "";
  };

  // Charts as tables, made when they are first opened -------------------------------------------

  const tables = {
    win: () => [board.labels, (i, j) => (i === j ? "" : short(pair(i, j).shown)), board.verb],
    rank: () => [board.rank[0].map((_, k) => k + 1),
      (i, k) => short(board.rank[i][k] / scale), "has rank"],
  };
  const tabulate = (details) => {
    const [heads, cell, verb] = tables[details.dataset.table]();
    const table = element("table"), header = element("tr");
    table.append(element("caption", `Probability that the row ${verb} the column`));
    header.append(element("th", "Player", { scope: "col" }),
      ...heads.map((text) => element("th", text, { scope: "col", class: "n" })));
    const body = element("tbody");
    board.players.forEach((player, i) => {
      const row = element("tr"), th = element("th", undefined, { scope: "row" });
      th.append(element("bdi", player));
      row.append(th, ...heads.map((_, k) => element("td", cell(i, k), { class: "n" })));
      body.append(row);
    });
    const head = element("thead");
    head.append(header);
    table.append(head, body);
    details.querySelector(".scroll").replaceChildren(table);
  };
  for (const details of all("details.as-table")) {
    details.addEventListener("toggle", () => details.open && tabulate(details));
  }

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
    all("details.as-table[open]").forEach(tabulate);
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
  // The library of the charts comes last in the page: all else works before it is there.
  addEventListener("load", embed);
})();
