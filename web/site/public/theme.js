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
  const apply = () => {
    const dark = choice === 'dark' || (choice !== 'light' && system.matches);
    window.document.documentElement.classList.toggle('dark', dark);
  };
  apply();
  system.addEventListener('change', apply);
  window.addEventListener('posenc-theme', (event) => {
    choice = event.detail;
    apply();
  });
})();
