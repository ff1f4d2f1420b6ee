// What pages gain by script. All of them work without it.
"use strict";
(() => {
  // `almanac open` puts its code behind the #, which no server and no log gets to see.
  const code = document.querySelector("#by-code input[name=code]");
  if (code && /^#[a-z2-7]{16}$/.test(location.hash)) {
    code.value = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
    code.form.submit();
  }

  // The browser's zone is offered where it differs, never used unasked.
  const differs = document.getElementById("zone-differs"), zone = document.getElementById("zone");
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (differs && own && own !== zone.value) {
    differs.textContent = `This browser is in ${own}.`;
    differs.hidden = false;
  }

  // Live: the server says that something changed, the page asks for itself and takes over what differs.
  const live = document.body.dataset.live;
  if (live) follow(live);

  function follow(address) {
    const POLL_MS = 15000;
    let tag = "", stream = null, asking = false, again = false, poll = 0, failed = 0;

    async function refresh() {
      if (asking) { again = true; return; }
      asking = true;
      try {
        const headers = { "almanac-refresh": "1", ...(tag && { "if-none-match": tag }) };
        const answer = await fetch(location.href, { headers, redirect: "error" });
        if (answer.status === 200) {
          const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
          // Whoever was signed out gets the form to sign in, which is no page of ours.
          if (!fresh.getElementById("page")) { location.reload(); return; }
          tag = answer.headers.get("etag") ?? "";
          for (const part of ["menu-button", "pages", "page"]) take(document.getElementById(part), fresh.getElementById(part));
          dispatchEvent(new Event("almanac:taken"));
        }
      } catch { /* The server is away: the stream tries again. */ }
      asking = false;
      if (again) { again = false; refresh(); }
    }

    function listen() {
      clearTimeout(poll);
      if (document.hidden) { stream?.close(); stream = null; return; }
      if (stream) return;
      if (/^wss?:/.test(address)) { listenBySocket(); return; }
      stream = new EventSource(address);
      // What happened while nobody listened, also since the page was made, is caught up with once.
      stream.onopen = () => { failed = 0; refresh(); };
      stream.onmessage = refresh;
      stream.onerror = () => { if (stream?.readyState === EventSource.CLOSED) lost(); };
    }

    // Where a session has too many streams, one is free as soon as a page that was left is noticed.
    function lost() {
      stream = null;
      setTimeout(refresh, 300);
      poll = setTimeout(() => { refresh(); listen(); }, Math.min(POLL_MS, 2000 * ++failed) * (.8 + .4 * Math.random()));
    }

    // The feed on AWS has an address that no cookie reaches: a ticket, good once, says whose page it is.
    function listenBySocket() {
      const own = stream = new WebSocket(address);
      own.onopen = async () => {
        try {
          const token = document.querySelector("form input[name=token]").value;
          const answer = await fetch("/ui/ticket", { method: "POST", body: new URLSearchParams({ token }), redirect: "error" });
          const ticket = await answer.text();
          if (!answer.ok || !/^[a-z2-7]{32}$/.test(ticket)) throw answer;
          own.send(JSON.stringify({ type: "follow", ticket }));
        } catch { own.close(); }
      };
      own.onmessage = ({ data }) => {
        const { type } = JSON.parse(data);
        if (type === "following") failed = 0;
        if (type === "following" || type === "changed") refresh();
      };
      own.onclose = () => { if (stream === own) lost(); };
    }

    document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); listen(); });
    addEventListener("pagehide", () => { stream?.close(); stream = null; });
    addEventListener("pageshow", listen);
    listen();
  }

  // Make `old` like `fresh`, keeping the elements that stand for the same thing, and with them focus, scroll and what
  // is being typed. Only elements with an id or a key stand for a thing; of others a list's entry is a new one.
  function take(old, fresh) {
    if (old.isEqualNode(fresh)) return;
    if (old.tagName === "FORM" && isInUse(old)) return;
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
    const known = new Map([...old.children].filter(key).map(each => [key(each), each]));
    let at = old.firstChild;
    for (const next of [...fresh.childNodes]) {
      // What stays although the fresh page has it no more moves nothing, nor do the blanks around it.
      while (at && ("stay" in (at.dataset ?? {}) && key(at) !== key(next) || isBlank(at) && !isBlank(next))) at = at.nextSibling;
      const same = key(next) ? known.get(key(next)) : at && !key(at) && isAlike(at, next) ? at : null;
      if (!same) { old.insertBefore(document.importNode(next, true), at); continue; }
      if (same !== at) old.insertBefore(same, at);
      if (same === at) at = at.nextSibling;
      if (same.nodeType === Node.ELEMENT_NODE) take(same, next);
      else if (same.data !== next.data) same.data = next.data;
    }
    const kept = new Set([...fresh.children].map(key).filter(Boolean));
    while (at) {
      const gone = at;
      at = at.nextSibling;
      if (!(gone.dataset && ("stay" in gone.dataset || kept.has(key(gone))))) gone.remove();
    }
  }

  function isBlank(node) { return node.nodeType === Node.TEXT_NODE && !node.data.trim(); }

  function key(node) { return node.id || node.dataset?.key || ""; }

  function isAlike(old, next) {
    if (old.nodeType !== next.nodeType || old.nodeName !== next.nodeName || key(next)) return false;
    return !/^(LI|ARTICLE|TR|FORM)$/.test(old.nodeName) || old.isEqualNode(next) || Boolean(old.parentElement.closest("[data-key]"));
  }

  function isInUse(form) {
    return form.contains(document.activeElement) && /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName) ||
      [...form.elements].some(each => each.type !== "hidden" && each.defaultValue !== undefined && each.value !== each.defaultValue);
  }
})();
