/** Figures on a page: started near the viewport, with their states in the URL hash (`#f10=m:7,n:3&f3=m:9`). */
import type { Figure, Language } from './frame-types.js';
import type { Schema } from './frame-state.js';

/** Waits this long after the last change before the URL is rewritten; browsers limit the rate. */
const WRITE_AFTER = 250;
/** Figures start this far before they scroll into view. */
const START_MARGIN = '60% 0px';

/** Figure key → serialized state. A key without `=` stands for the initial state. */
export function parseHash(hash: string): Map<string, string> {
  const states = new Map<string, string>();
  for (const part of hash.replace(/^#/, '').split('&')) {
    const [, key, state = ''] = /^(f\d+)(?:=(.*))?$/s.exec(part) ?? [];
    if (key) states.set(key, state);
  }
  return states;
}

/** The inverse of `parseHash`; figures in their initial state are left out. */
export function writeHash(states: ReadonlyMap<string, string>): string {
  const parts = [...states]
    .filter(([, state]) => state !== '')
    .map(([key, state]) => `${key}=${state}`);
  return parts.length ? `#${parts.join('&')}` : '';
}

let writeTimer: ReturnType<typeof setTimeout> | undefined;
const pending = new Map<string, string>();

function remember(key: string, state: string): void {
  pending.set(key, state);
  clearTimeout(writeTimer);
  writeTimer = setTimeout(flush, WRITE_AFTER);
}

// Replaces the entry, so that “back” leaves the page instead of undoing a drag.
function flush(): void {
  const states = parseHash(location.hash);
  for (const [key, state] of pending) states.set(key, state);
  pending.clear();
  const url = location.pathname + location.search + writeHash(states);
  history.replaceState(history.state, '', url);
}

/** The page's address with every change of the last moment in it, for links that keep the state. */
export function currentHash(): string {
  clearTimeout(writeTimer);
  if (pending.size) flush();
  return location.hash;
}

/**
 * Attaches a figure to its place on a page.
 * @param load fetches the figure's module when it comes near the viewport
 * @returns undoes everything
 */
export function attachFigure(
  element: HTMLElement,
  lang: Language,
  load: () => Promise<Figure<Schema>>,
): () => void {
  const key = element.id;
  let undo = () => {};
  let ended = false;

  const start = async () => {
    near.disconnect();
    const figure = await load();
    if (ended) return;
    const state = () => figure.parse(parseHash(location.hash).get(key) ?? '');
    const mounted = figure.mount(element, {
      lang,
      state: state(),
      onState: (next) => remember(key, figure.serialize(next)),
    });
    const follow = () => {
      if (parseHash(location.hash).has(key)) mounted.update(state());
    };
    addEventListener('hashchange', follow);
    undo = () => {
      removeEventListener('hashchange', follow);
      mounted.destroy();
    };
  };
  const near = new IntersectionObserver(
    (entries) => entries.some((entry) => entry.isIntersecting) && void start(),
    { rootMargin: START_MARGIN },
  );
  near.observe(element);
  const [linked] = parseHash(location.hash).keys();
  if (linked === key) element.scrollIntoView();

  return () => {
    ended = true;
    near.disconnect();
    undo();
  };
}
