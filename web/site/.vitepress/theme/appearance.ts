/** Light, dark or as the system says. `public/theme.js` applies the choice before the first paint. */

export type ThemeChoice = 'auto' | 'light' | 'dark';

const KEY = 'posenc-theme';
const ORDER: readonly ThemeChoice[] = ['auto', 'light', 'dark'];

/** The choice after this one. */
export const nextTheme = (theme: ThemeChoice): ThemeChoice =>
  ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length]!;

/** The reader's choice; `auto` where storage is forbidden. */
export function readTheme(): ThemeChoice {
  try {
    return ORDER.find((theme) => theme === localStorage.getItem(KEY)) ?? 'auto';
  } catch {
    return 'auto';
  }
}

/** Keeps the choice and shows it. */
export function saveTheme(theme: ThemeChoice): void {
  try {
    if (theme === 'auto') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  dispatchEvent(new CustomEvent('posenc-theme', { detail: theme }));
}
