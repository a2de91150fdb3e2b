/** Models that lie in the repository, as they are when the site is built; fetched when chosen. */
/// <reference types="vite/client" />

/** A trained model. */
export interface Shipped {
  /** `recipe/name`, in addresses. */
  readonly id: string;
  /** Where its file is. */
  readonly url: string;
}

/** From paths `…/results/<recipe>/<name>.safetensors` and the addresses of the files. */
export const shippedOf = (found: Readonly<Record<string, string>>): Shipped[] =>
  Object.entries(found)
    .map(([path, url]) => ({
      id: path.replace(/^.*\/results\//, '').replace(/\.safetensors$/, ''),
      url,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

export const shipped: readonly Shipped[] = shippedOf(
  import.meta.glob<string>('../../../models/results/*/*.safetensors', {
    query: '?url',
    import: 'default',
    eager: true,
  }),
);
