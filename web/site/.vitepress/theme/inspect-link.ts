/** What the address of the page Inspect remembers: `#model=llama-3.1-8b&length=131072&with=gemma-3-4b`. */

export interface InspectLink {
  /** Ids of presets; `null` = none, or a config of one's own, which stays out of addresses. */
  readonly model: string | null;
  readonly with: string | null;
  /** The asked length as typed; `null` = that of the preset. */
  readonly length: string | null;
}

/** Reads a hash; anchors of headings and strange values give a link of nothing. */
export function parseLink(hash: string): InspectLink {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const length = parts.get('length');
  return {
    model: parts.get('model'),
    with: parts.get('with'),
    length: length !== null && /^\d{0,10}$/.test(length) ? length : null,
  };
}

/** The inverse of `parseLink`; empty where there is nothing to remember. */
export function writeLink(link: InspectLink): string {
  const parts = new URLSearchParams();
  for (const name of ['model', 'length', 'with'] as const) {
    const value = link[name];
    if (value !== null) parts.set(name, value);
  }
  return parts.size === 0 ? '' : `#${parts}`;
}
