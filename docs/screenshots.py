"""Take the pictures of the README and docs/pages.md anew from the running app: `make screenshots`."""

from pathlib import Path

from tests.browser.serving import launched, served, wait_until_idle

FOLDER = Path(__file__).parent
SHOTS = {
    "home.png": "/",
    "binary_vs_sinusoid.png": "/binary_vs_sinusoid",
    "sinusoidal.png": "/sinusoidal",
    "rope.png": "/rope",
    "extension.png": "/extension",
    "learned.png": "/learned",
    "biases.png": "/biases",
    "images.png": "/images",
    "claims.png": "/claims",
    "inside.png": "/inside",
    "scorecard.png": "/scorecard",
    "catalogue.png": "/catalogue",
}


def main() -> None:
    """Take the pictures of the documents from the running app."""
    with served() as address, launched() as browser:
        for name, path in SHOTS.items():
            page = browser.new_page(
                viewport={"width": 1280, "height": 960}, color_scheme="light", reduced_motion="reduce"
            )
            page.goto(address + path)
            wait_until_idle(page)
            page.wait_for_timeout(4_000)  # charts are painted after the script has ended
            page.screenshot(path=FOLDER / name)
            page.close()


if __name__ == "__main__":
    main()
