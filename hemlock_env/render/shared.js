const data = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);

function turnTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}
at("theme").onclick = turnTheme;
const asked = new URLSearchParams(location.hash.slice(1));
if (asked.get("theme")) document.documentElement.dataset.theme = asked.get("theme");
