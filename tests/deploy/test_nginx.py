"""Two app servers behind a real nginx with the project's own settings."""

import base64
import hashlib
import re
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

import pytest
import streamlit
from websockets.exceptions import WebSocketException

from tests.browser.protocol import apart, connected, cookies_of
from tests.browser.serving import ROOT, serving
from tests.deploy.services import Answer, counted, get, nginx
from tests.waiting import until, until_async

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def hosted(tmp_path_factory):
    """The address of nginx, and the addresses and processes of the two apps behind it."""
    with ExitStack() as all_of_them:
        apps = []
        for _ in range(2):
            apps.append(all_of_them.enter_context(serving(ROOT / "ui" / "hosted.py")))
        folder = tmp_path_factory.mktemp("nginx")
        yield all_of_them.enter_context(nginx(folder, [address for address, _ in apps])), apps, folder


def test_a_page_comes_with_what_protects_it(hosted):
    headers = get(hosted[0]).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "Strict-Transport-Security" not in headers
    assert re.fullmatch(r"pe_route=\w{32}; Path=/; HttpOnly; SameSite=Lax", headers["Set-Cookie"])
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'self'" in policy
    assert "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in re.search(r"script-src[^;]*", policy)[0]
    assert "Set-Cookie" not in get(hosted[0], {"Cookie": "pe_route=known"}).headers
    behind_tls = get(hosted[0], {"X-Forwarded-Proto": "https"}).headers
    assert behind_tls["Strict-Transport-Security"] == "max-age=31536000"
    assert behind_tls["Set-Cookie"].endswith("; HttpOnly; Secure; SameSite=None; Partitioned")


def test_the_script_in_the_page_of_streamlit_is_the_one_that_is_allowed():
    page = (Path(streamlit.__file__).parent / "static/index.html").read_text()
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = re.search(r"^PE_SCRIPT_HASH=sha256-(\S+)$", (ROOT / "deploy/nginx.sh").read_text(), re.MULTILINE)
    assert hashes == [allowed[1]]


def test_what_is_nobodys_business_is_closed(hosted):
    address, ((app, _), _), _ = hosted
    assert get(f"{app}/metrics").status == get(f"{app}/_stcore/metrics").status == 200  # it would have answered
    agent = ("_stcore/agent/interact", "_stcore/agent/openapi.json", "_stcore/agent/mcp")
    for path in ("metrics", "ready", "_stcore/metrics", "_stcore/script-health-check", *agent):
        answer = get(f"{address}/{path}")
        assert answer.status == 404, path
        assert b"nginx" in answer.content, path  # the app was not asked


def test_more_than_an_upload_is_refused(hosted):
    assert get(f"{hosted[0]}/_stcore/upload_file/a/b", data=b"x" * 12_000_000).status == 413


def test_the_log_of_requests_has_no_query(hosted):
    get(f"{hosted[0]}/lab?run=secret4711")
    log = hosted[2] / "access.log"
    until(lambda: " GET /lab " in log.read_text(), "the request is not in the log")  # written after the answer
    assert "secret4711" not in log.read_text()


def test_a_visitor_stays_at_a_server(hosted):
    address, apps, _ = hosted
    assert sorted(apart(_opened(address, apps, cookies_of(address), 3))) == [0, 3]


def test_who_asks_for_too_much_is_told_so(hosted, tmp_path):
    apps = [address for address, _ in hosted[1]]
    few = {"PE_REQUESTS_PER_SECOND": "1", "PE_BURST": "3"}
    with nginx(tmp_path, apps, **few, PE_FRAME_ANCESTORS="'self' https://lectures.example") as address:
        answers: list[Answer] = []

        def refused():
            answers.append(get(f"{address}/media/none?run=secret4711"))
            return answers[-1].status == 429

        until(refused, lambda: [answer.status for answer in answers], every=0)
        assert "frame-ancestors 'self' https://lectures.example" in answers[-1].headers["Content-Security-Policy"]
    assert "secret4711" not in (tmp_path / "nginx.log").read_text()


def test_when_a_server_dies_visitors_of_the_other_notice_nothing_and_new_ones_go_there(hosted):
    """It stands last: one of the two servers is gone then."""
    apart(_lose_one(*hosted[:2]))


async def _opened(address, apps, cookie, n_windows):
    """Return how many sessions each app has more while a visitor with this cookie has so many windows open."""
    before = _counts(apps)
    async with AsyncExitStack() as windows:
        for _ in range(n_windows):
            await (await windows.enter_async_context(connected(address, cookie))).open("home")
        grown = await _grown(apps, before, n_windows)
    await _grown(apps, before, 0)  # who has left is not counted any more
    return grown


def _counts(apps):
    return [counted(app, "pe_sessions") for app, _ in apps]


async def _grown(apps, before, number):
    """Return how many sessions each app has more than before, once all of them have so many."""

    async def grown():
        found = [now - then for now, then in zip(_counts(apps), before, strict=True)]
        return found if sum(found) == number else None

    return await until_async(grown, lambda: f"{number} more sessions than {before}: {_counts(apps)}", every=0.02)


async def _lose_one(address, apps):
    servers = {}
    for _ in range(20):  # visitors are spread
        cookie = cookies_of(address)
        servers.setdefault((await _opened(address, apps, cookie, 1)).index(1), cookie)
        if len(servers) == 2:
            break
    async with connected(address, servers[0]) as unlucky, connected(address, servers[1]) as lucky:
        for client in (unlucky, lucky):
            await client.open("rope")
        apps[0][1].kill()
        apps[0][1].wait()
        with pytest.raises(WebSocketException):
            await unlucky.rerun()
        widget = lucky.sliders[0]
        slider = lucky.elements[widget].slider
        await lucky.step(widget, slider.max)
        assert lucky.exceptions == []
        for cookie in (servers[0], ""):
            async with connected(address, cookie) as newcomer:
                await newcomer.open("rope")
                assert newcomer.sliders
        assert counted(apps[1][0], "pe_sessions") >= 1
