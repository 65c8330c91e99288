"""The page in a browser, where there is one: everything that its script does."""

import shutil

import pytest

import leaderbayes as lb

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def visit():
    """Open a page offline; in the end, none of the browser's complaints, requests or dialogs."""
    api = pytest.importorskip("playwright.sync_api")
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    complaints = []
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])

        def open_page(path, *, complaining=False, **options):
            page = browser.new_context(offline=True, **options).new_page()
            if complaining:
                page.goto(path.as_uri())
                return page
            page.on(
                "console", lambda m: m.type in ("error", "warning") and complaints.append(m.text)
            )
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
            page.on("request", lambda r: r.url.startswith("http") and complaints.append(r.url))
            page.goto(path.as_uri())
            return page

        yield open_page
        browser.close()
    assert complaints == []


def players(page):
    return page.locator("#leaderboard tbody:visible tr:visible th bdi").all_text_contents()


def test_a_page_works(visit, page, classifiers):
    table, shown = lb.leaderboard(classifiers), visit(page, viewport={"width": 1280, "height": 900})
    names = list(table["player"])
    assert players(shown) == names
    # Sorting, and back.
    shown.get_by_role("button", name="Score", exact=True).click()
    assert players(shown) == list(table.sort_values("score", ascending=False)["player"])
    shown.get_by_role("button", name="Rank", exact=True).click()
    assert players(shown) == names
    # Filtering.
    shown.get_by_label("Filter players").fill("SVM")
    assert players(shown) == [name for name in names if "svm" in name]
    assert shown.locator("#leaderboard .count").text_content() == "3 of 15 shown"
    shown.get_by_label("Filter players").fill("")
    # Two players in words.
    a, b = names[3], names[1]
    shown.get_by_label("Player", exact=True).select_option(label=a)
    shown.get_by_label("Opponent", exact=True).select_option(label=b)
    for first, second in ((a, b), (b, a)):
        told = {k: float(v) for k, v in lb.compare(classifiers, first, second).items()}
        said = shown.locator("#answer").text_content()
        assert said.startswith(f"{first} is better than {second} with probability ")
        win = f"{told['win_probability']:.2f} (95\u00a0% interval {told['win_lower']:.2f} to"
        assert f"It beats it in a new round with probability {win}" in said
        assert f"(won {told['record_won'] - told['record_tied'] / 2:g}" in said
        own = f"{told['record']:.2f} ({told['record_lower']:.2f} to {told['record_upper']:.2f})"
        assert f"imply a win probability of {own}. The model counts as much as" in said
        shown.get_by_role("button", name="Swap").click()
    shown.get_by_label("Opponent", exact=True).select_option(label=a)
    assert shown.locator("#answer").text_content() == "Pick two different players."
    # Heat maps, which are tables; a cell is pressed.
    wins = lb.win_probability(classifiers)["mean"].sel(player=names, opponent=names).to_numpy()
    cells = shown.locator("#heat-win tbody tr").nth(4).locator("td")
    assert cells.nth(6).text_content() == f"{wins[4, 6]:.2f}"
    assert cells.nth(4).text_content() == ""
    cells.nth(6).click()
    assert shown.locator("#answer bdi").all_text_contents()[:2] == [names[4], names[6]]
    share = lb.rank_probability(classifiers).sel(player=names[0]).to_numpy()
    first = shown.locator("#heat-rank tbody tr").first.locator("td").all_text_contents()
    assert first[0] == f"{share[0]:.2f}"
    assert [text == "" for text in first] == list(share[: len(first)] < 0.005)
    # Paper has no controls.
    shown.emulate_media(media="print")
    assert shown.locator("nav, .filter").locator("visible=true").count() == 0
    assert shown.pdf(format="A4").startswith(b"%PDF")


def test_tournaments_and_phones(visit, pages, study):
    page = visit(pages, viewport={"width": 390, "height": 844}, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_label("Tournament", exact=True).select_option(label="three")
    assert players(page) == list(lb.leaderboard(study["three"])["player"])
    names = page.locator("#first option").all_text_contents()
    assert names == players(page)
    page.locator("#across").get_by_role("button", name="show reversed").click()
    assert players(page) == list(lb.leaderboard(study["reversed"])["player"])
    assert page.locator("#heat-win tbody th").all_text_contents() == players(page)
    plain = visit(pages, java_script_enabled=False)
    assert plain.locator("#leaderboard table:visible").count() == 4
    assert plain.locator("#compare, #win, .switch").locator("visible=true").count() == 0


def test_hostile_names_do_nothing(visit, harmed, harmful):
    page, table = visit(harmed), lb.leaderboard(harmful)
    assert players(page) == list(table["player"])
    for i, name in enumerate(table["player"]):
        page.locator("#second").select_option(index=(i + 1) % len(table))
        page.locator("#first").select_option(index=i)
        assert page.locator("#answer bdi").first.text_content() == name
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img").count() == 0


def test_no_violation_of_accessibility(visit, page, pages):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for path, scheme in ((page, "light"), (pages, "dark")):
        shown = visit(path, color_scheme=scheme)
        found = axe.run(shown, options={"resultTypes": ["violations"]}).response["violations"]
        assert {one["id"]: [n["html"][:200] for n in one["nodes"]] for one in found} == {}


def test_no_script_runs_but_the_pages_own(visit, page, folder):
    """If markup got in all the same, the content security policy would stop it."""
    harm = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 2</script></main>'
    path = folder / "broken.html"
    path.write_text(page.read_text("utf-8").replace("</main>", harm, 1), "utf-8")
    shown = visit(path, complaining=True)
    assert shown.locator("main img").count() == 1
    assert shown.evaluate("window.hacked") is None
