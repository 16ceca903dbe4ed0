// SPDX-License-Identifier: Apache-2.0
// site.js URL [FOLDER]: the site as people meet it: with and without JavaScript, dark, on a phone, by keyboard. FOLDER gets pictures.
"use strict";
const fs = require("fs");
const path = require("path");
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [base, shots] = process.argv.slice(2);
let wrong = 0;

function check(good, what) {
    console.log((good ? "ok    " : "WRONG ") + what);
    wrong += !good;
}

const pages = {
    home: "/", paste: "/paste", about: "/about", optout: "/opt-out", api: "/api", rules: "/explain", rule: "/explain/poppy.auth.issuer",
    none: "/check/never.test", report: "/check/shop1.example", sites: "/sites", sorted: "/sites?sort=errors&order=desc&page=2",
    site: "/sites/shop0.example", diff: "/sites/shop1.example/diff?from=2026-11-20&to=2026-11-24", charts: "/charts",
    missing: "/nothing", often: "/check/shop1.example?said=often", proof: "/opt-out?domain=shop1.example&said=no-proof",
};

// What axe-core finds by the rules of WCAG 2.2 A and AA. Its script runs in a world of its own: the page's policy allows none.
async function accessible(context, name, page) {
    const session = await context.newCDPSession(page);
    const tree = await session.send("Page.getFrameTree");
    const world = await session.send("Page.createIsolatedWorld", { frameId: tree.frameTree.frame.id, worldName: "axe" });
    const run = async (expression) => {
        const r = await session.send("Runtime.evaluate", { expression, contextId: world.executionContextId, awaitPromise: true, returnByValue: true });
        if (r.exceptionDetails)
            throw new Error(JSON.stringify(r.exceptionDetails));
        return r.result.value;
    };
    await run(axe + ";0");
    const found = await run("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})" +
        ".then(r => r.violations.map(v => v.id + ' at ' + v.nodes.slice(0, 3).map(n => n.target + ': ' + n.failureSummary).join('; ')))");
    check(found.length === 0, `${name}: axe-core finds nothing`);
    found.forEach((f) => console.log("      " + f));
}

async function look(browser, view, options) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const errors = [];
    page.on("console", (m) => m.type() === "error" && !m.text().includes("404") && errors.push(m.text()));
    page.on("pageerror", (e) => errors.push(String(e)));
    page.on("request", (r) => r.url().startsWith(base) || errors.push("asks " + r.url()));
    for (const [name, at] of Object.entries(pages)) {
        await page.goto(base + at);
        await accessible(context, `${view}, ${name}`, page);
        const wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        check(wide <= 0, `${view}, ${name}: fits the window`);
        if (shots)
            await page.screenshot({ path: path.join(shots, `${view}-${name}.png`), fullPage: name !== "sites" && name !== "rules" });
    }
    check(errors.length === 0, `${view}: nothing in the console, nothing asked of others: ${errors.join("; ")}`);
    check((await context.cookies()).length === 0, `${view}: no cookie`);
    await context.close();
}

async function streaming(browser) {
    const context = await browser.newContext();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    // On one machine a check is over in no time: what was shown meanwhile is kept in the session's storage. (The window's name
    // is none for that: what is written to it when the page is about to go does not reach the next one.)
    await page.addInitScript(() => new MutationObserver((all) => all.forEach((m) => m.addedNodes.forEach((n) => {
        if (n.parentElement && n.parentElement.closest("#check-steps"))
            sessionStorage.seen += n.textContent + "\n";
        else if (n.id === "check-steps")
            sessionStorage.seen += n.firstChild.getAttribute("role") + ": " + n.textContent + "\n";
    }))).observe(document, { childList: true, subtree: true }));
    await page.goto(base + "/");
    await page.getByLabel("Domain").fill("shop.test");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/check/shop.test", { timeout: 70000 });
    const seen = await page.evaluate("sessionStorage.seen");
    check(seen.includes("status: Checking shop.test"), "streaming: it says what it does");
    check(seen.includes("https://shop.test/.well-known/poppy.json"), "streaming: and what was answered: " + JSON.stringify(seen));
    check((await page.locator("h1").textContent()) === "shop.test", "streaming: the report comes");
    check((await page.locator(".finding").count()) > 0, "streaming: with its findings");
    if (shots)
        await page.screenshot({ path: path.join(shots, "checked.png"), fullPage: true });
    const details = page.locator("details.exchange").first();
    check(!(await details.evaluate("e => e.open")), "the exchanges are folded");
    await details.locator("summary").click();
    check(await details.locator("dl").first().isVisible(), "and unfold");
    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor({ timeout: 5000 });
    check((await page.evaluate("navigator.clipboard.readText()")).startsWith("# `shop.test`"), "Markdown is copied");
    await page.goto(base + "/");
    await page.getByLabel("Domain").fill("127.0.0.1");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".verdict.bad");
    check((await page.getByRole("status").textContent()).includes("IP address"), "streaming: a refusal is said");
    if (shots)
        await page.screenshot({ path: path.join(shots, "refused.png") });
    await context.close();
}

async function noScript(browser) {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(base + "/");
    await page.getByLabel("Domain").fill("Shop.Test");
    await page.getByRole("button", { name: "Check" }).click();
    check(page.url() === base + "/check/shop.test", "no script: the form leads to the report");
    await page.goto(base + "/check/shop1.example");
    await page.getByRole("button", { name: "Check again" }).click();
    check(page.url() === base + "/check/shop1.example", "no script: a new check leads back to the report");
    check(await page.getByRole("link", { name: "Markdown", exact: true }).isVisible(), "no script: Markdown is a link");
    await page.goto(base + "/paste");
    await page.getByLabel("The document").fill('{"protocol_version": "1"}');
    await page.getByLabel("What it is").selectOption("poppy");
    await page.getByRole("button", { name: "Judge it" }).click();
    check((await page.locator(".finding").count()) > 0, "no script: a pasted document is judged");
    await page.goto(base + "/sites/shop1.example");
    await page.getByLabel("From").fill("2026-11-20");
    await page.getByLabel("To").fill("2026-11-24");
    await page.getByRole("button", { name: "Compare" }).click();
    check((await page.locator("pre.diff ins").count()) === 1, "no script: the difference of two days");
    await page.goto(base + "/sites");
    await page.getByLabel("Name has").fill("shop12");
    await page.getByLabel("Channel").selectOption("web");
    await page.getByRole("button", { name: "Show" }).click();
    check((await page.locator("tbody tr").count()) === 6, "no script: the list is searched");
    await page.getByRole("link", { name: "Errors" }).click();
    check((await page.locator("th[aria-sort=ascending]").textContent()).includes("Errors"), "no script: and sorted");
    await context.close();
}

async function charts(browser) {
    const page = await browser.newPage();
    await page.goto(base + "/charts", { waitUntil: "load" });
    const sizes = await page.evaluate("Array.from(document.querySelectorAll('.chart img'), (i) => i.naturalWidth)");
    check(sizes.length === 3 && sizes.every((n) => n > 0), "charts are drawn: " + sizes);
    // What others read: feeds and pictures are XML, whatever stands in them.
    for (const at of ["/sites.atom", "/charts/adoption.svg", "/charts/versions.svg", "/charts/faults.svg", "/badge/shop0.example.svg"]) {
        const what = await page.evaluate("fetch(" + JSON.stringify(at) + ").then((r) => r.text()).then((t) => {" +
            "const d = new DOMParser().parseFromString(t, 'application/xml');" +
            "return (d.querySelector('parsererror') || {}).textContent || (d.getElementsByTagName('script').length ? 'a script' : '')})");
        check(what === "", at + " is XML without a script " + what);
    }
    await page.close();
}

// WCAG 1.4.10: at 400 % of a window of 1280 pixels nothing has to be scrolled in two directions.
async function zoomed(browser) {
    const page = await browser.newPage({ viewport: { width: 320, height: 256 } });
    for (const [name, at] of Object.entries(pages)) {
        await page.goto(base + at);
        const wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        check(wide <= 0, `at 400 %, ${name}: fits the window`);
    }
    await page.close();
}

async function keyboard(browser) {
    const page = await browser.newPage();
    await page.goto(base + "/");
    await page.keyboard.press("Tab");
    check((await page.evaluate("document.activeElement.textContent")) === "Skip to the content", "keyboard: the skip link is first");
    await page.keyboard.press("Enter");
    check((await page.evaluate("document.activeElement.id")) === "main", "keyboard: and skips");
    await page.keyboard.press("Tab");
    check((await page.evaluate("document.activeElement.id")) === "domain", "keyboard: the field is next");
    await page.close();
}

(async () => {
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
    await look(browser, "light", { viewport: { width: 1280, height: 900 } });
    await look(browser, "dark", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" });
    await look(browser, "phone", { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    await streaming(browser);
    await noScript(browser);
    await charts(browser);
    await zoomed(browser);
    await keyboard(browser);
    await browser.close();
    process.exit(wrong ? 1 : 0);
})().catch((e) => {
    console.log("WRONG " + e.stack);
    process.exit(1);
});
