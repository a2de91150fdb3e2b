/** Lets pages announce the chunks of their figures, so that the browser fetches them at once. */

interface Chunk {
  readonly type: string;
  readonly fileName: string;
  readonly facadeModuleId?: string | null;
  readonly imports?: readonly string[];
}

/** A Vite plugin that remembers which file a module became. */
export function rememberChunks() {
  const files = new Map<string, readonly string[]>();
  return {
    plugin: {
      name: 'posenc:remember-chunks',
      generateBundle(_options: unknown, bundle: Record<string, Chunk>) {
        for (const { type, fileName, facadeModuleId, imports = [] } of Object.values(bundle)) {
          // The bundle that renders the pages passes here as well; only the browser's is in `assets`.
          if (type === 'chunk' && facadeModuleId && fileName.startsWith('assets/'))
            files.set(facadeModuleId, [fileName, ...imports]);
        }
      },
    },
    /** Files of the module whose path ends like this, its static imports included. */
    filesOf(ending: string): readonly string[] {
      for (const [module, names] of files) if (module.endsWith(ending)) return names;
      return [];
    },
  };
}
