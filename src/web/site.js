/* SPDX-License-Identifier: Apache-2.0
 *
 * The only script of the site. Every page works without it: it shows a check while it runs, and copies Markdown.
 */
"use strict";
(function () {
    function element(tag, text, className) {
        var e = document.createElement(tag);
        e.textContent = text;
        if (className)
            e.className = className;
        return e;
    }

    /* What is shown while a check runs; screen readers hear how many requests were answered, not each of them. */
    function Steps(form, domain) {
        this.line = element("p", "Checking " + domain, "waiting");
        this.line.setAttribute("role", "status");
        this.list = element("ol", "", "steps");
        this.list.setAttribute("aria-label", "Requests so far");
        var old = document.getElementById("check-steps");
        if (old)
            old.remove();
        var box = element("div", "");
        box.id = "check-steps";
        box.append(this.line, this.list);
        (form.closest(".bar") || form).after(box);
    }
    Steps.prototype.add = function (step) {
        var entry = element("li", "");
        entry.append(element("b", String(step.status || "none")), element("span", step.fault ? step.url + ": " + step.fault : step.url));
        this.list.append(entry);
    };
    Steps.prototype.fail = function (sentence) {
        this.line.className = "verdict bad";
        this.line.textContent = sentence;
    };

    /* One event of a stream: "event: NAME" and "data: JSON". */
    function read(text) {
        var event = { name: "message", data: null };
        text.split("\n").forEach(function (line) {
            if (line.startsWith("event: "))
                event.name = line.slice(7);
            else if (line.startsWith("data: "))
                event.data = JSON.parse(line.slice(6));
        });
        return event;
    }

    async function stream(response, each) {
        var reader = response.body.pipeThrough(new TextDecoderStream()).getReader(), rest = "";
        for (;;) {
            var piece = await reader.read();
            if (piece.done)
                return;
            rest += piece.value;
            var parts = rest.split("\n\n");
            rest = parts.pop();
            parts.forEach(function (p) { each(read(p)); });
        }
    }

    async function check(form, domain) {
        var steps = new Steps(form, domain), button = form.querySelector("button"), ended = false;
        button.disabled = true;
        try {
            var response = await fetch("/check/" + encodeURIComponent(domain), {
                method: "POST", headers: { Accept: "text/event-stream" }
            });
            if (!(response.headers.get("Content-Type") || "").startsWith("text/event-stream")) {
                var page = new DOMParser().parseFromString(await response.text(), "text/html");
                var lead = page.querySelector(".lead");
                steps.fail(lead ? lead.textContent : "That did not work.");
                return;
            }
            await stream(response, function (event) {
                if (event.name === "step")
                    steps.add(event.data);
                else if (event.name === "done") {
                    ended = true;
                    location.assign(event.data.url);
                } else if (event.name === "failed") {
                    ended = true;
                    steps.fail(event.data.detail);
                }
            });
            if (!ended)
                steps.fail("The connection ended before the check did.");
        } catch (e) {
            steps.fail("The connection was lost. Try again in a moment.");
        } finally {
            button.disabled = false;
        }
    }

    document.addEventListener("submit", function (event) {
        var form = event.target;
        if (!form.hasAttribute("data-stream") || !window.TextDecoderStream)
            return;
        var field = form.elements.namedItem("domain");
        var domain = field ? field.value.trim() : form.getAttribute("data-stream");
        if (!domain)
            return;
        event.preventDefault();
        check(form, domain);
    });

    /* A link to Markdown becomes a button that copies it. */
    document.querySelectorAll("a[data-copy]").forEach(function (link) {
        if (!navigator.clipboard)
            return;
        var button = element("button", link.getAttribute("data-copy"), "quiet");
        button.type = "button";
        button.addEventListener("click", async function () {
            try {
                await navigator.clipboard.writeText(await (await fetch(link.href)).text());
                button.textContent = "Copied";
            } catch (e) {
                location.assign(link.href);
            }
        });
        link.replaceWith(button);
    });
})();
