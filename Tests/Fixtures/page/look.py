"""Opens a page in a headless Chromium and tells, as JSON, what its user would see.

    look.py URL [FOLDER]

Two widths in two colour schemes each; with a folder, their pictures are laid there.
"""

import asyncio
import base64
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

import websockets

SIZES = [(1280, 900), (360, 740)]
SCHEMES = ["light", "dark"]
# What is wider than its page, and what a reader of the page is told.
MEASURE = """JSON.stringify({
  width: document.scrollingElement.scrollWidth, inner: document.documentElement.clientWidth,
  freshness: document.getElementById('freshness').textContent, text: document.body.innerText,
  images: document.images.length, ground: getComputedStyle(document.body).backgroundColor })"""
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--no-proxy-server",
    "--remote-debugging-port=0",
]


class Browser:
    def __init__(self, socket):
        self.socket, self.number, self.events = socket, 0, []

    async def call(self, method, **parameters):
        self.number += 1
        await self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(await asyncio.wait_for(self.socket.recv(), 60))
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    async def value(self, expression):
        answer = await self.call("Runtime.evaluate", expression=expression, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    async def open(self, url):
        await self.call("Page.navigate", url=url)
        for _ in range(150):
            if await self.value("document.getElementById('freshness')?.className") == "live":
                return
            await asyncio.sleep(0.2)


async def picture(browser, path):
    height = await browser.value("document.scrollingElement.scrollHeight")
    width = await browser.value("innerWidth")
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    shot = await browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
    with open(path, "wb") as file:
        file.write(base64.b64decode(shot["data"]))


async def look(address, url, folder):
    looks = []
    async with websockets.connect(address, max_size=None) as socket:
        browser = Browser(socket)
        for domain in ["Page", "Runtime", "Log", "Network"]:
            await browser.call(f"{domain}.enable")
        for width, height in SIZES:
            for scheme in SCHEMES:
                await browser.call(
                    "Emulation.setDeviceMetricsOverride",
                    width=width, height=height, deviceScaleFactor=1, mobile=width < 500,
                )
                features = [{"name": "prefers-color-scheme", "value": scheme}]
                await browser.call("Emulation.setEmulatedMedia", features=features)
                await browser.open(url)
                # One question more, so that what is shown has been renewed at least once.
                await asyncio.sleep(2.5)
                looks.append({"size": width, "scheme": scheme, **json.loads(await browser.value(MEASURE))})
                if folder:
                    await picture(browser, f"{folder}/{width}-{scheme}.png")
        # The arrow keys move through a plot; what they say is read aloud.
        await browser.value("document.querySelector('.plot').focus()")
        await browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowLeft", code="ArrowLeft")
        key = "document.querySelector('.plot').getAttribute('aria-valuetext')"
        moment = await browser.value(key)
    return looks, moment, browser.events


def told(events):
    faults, requests = [], set()
    for event in events:
        parameters = event["params"]
        if event["method"] == "Network.requestWillBeSent":
            requests.add(parameters["request"]["url"])
        elif event["method"] == "Runtime.exceptionThrown":
            faults.append(json.dumps(parameters["exceptionDetails"]))
        elif event["method"] == "Log.entryAdded":
            faults.append(json.dumps(parameters["entry"]))
        elif event["method"] == "Runtime.consoleAPICalled":
            faults.append(json.dumps(parameters["args"]))
    return faults, sorted(request for request in requests if not request.startswith("data:"))


def main(url, folder=None):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = ["chromium", *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        with open(f"{profile}/errors", "w") as errors:
            chromium = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        try:
            end = time.monotonic() + 60
            while not os.path.exists(f"{profile}/DevToolsActivePort"):
                if time.monotonic() > end or chromium.poll() is not None:
                    sys.exit("chromium doesn't start: " + open(f"{profile}/errors").read())
                time.sleep(0.2)
            with open(f"{profile}/DevToolsActivePort") as file:
                port = file.readline().strip()
            targets = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
            address = next(target["webSocketDebuggerUrl"] for target in targets if target["type"] == "page")
            looks, moment, events = asyncio.run(look(address, url, folder))
        finally:
            chromium.terminate()
            chromium.wait()
    faults, requests = told(events)
    print(json.dumps({"looks": looks, "moment": moment, "faults": faults, "requests": requests}))


main(*sys.argv[1:])
