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
})();
