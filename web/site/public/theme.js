// Applies light or dark before the first paint, and follows the system and the button in the header.
/* global window */
(() => {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  let choice = null;
  try {
    choice = window.localStorage.getItem('posenc-theme');
  } catch {
    // Storage is forbidden: follow the system.
  }
  const show = (dark) => window.document.documentElement.classList.toggle('dark', dark);
  const apply = () => show(choice === 'dark' || (choice !== 'light' && system.matches));
  apply();
  // Paper is light.
  window.addEventListener('beforeprint', () => show(false));
  window.addEventListener('afterprint', apply);
  system.addEventListener('change', apply);
  window.addEventListener('posenc-theme', (event) => {
    choice = event.detail;
    apply();
  });
})();
