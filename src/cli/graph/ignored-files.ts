import ignore, { type Ignore } from 'ignore'

/** Name of the files that tell which others do not belong to a catalog. */
export const ignoreFileName = '.indexignore'

/**
 * Decides which files of a folder belong to a catalog. `.indexignore` has the patterns of
 * `.gitignore`, and holds for the folder that it is in and those below it.
 */
export interface IgnoredFiles {
  /**
   * Adds the patterns of a folder; `folder` is empty for the root, and else ends without a slash.
   */
  add(folder: string, patterns: string): void
  /** `path` is relative to the root. */
  isIgnored(path: string): boolean
}

/** Creates an {@link IgnoredFiles} without patterns. */
export function createIgnoredFiles(): IgnoredFiles {
  const byFolder = new Map<string, Ignore>()
  return {
    add: (folder, patterns) => void byFolder.set(folder, ignore({ allowRelativePaths: false }).add(patterns)),
    isIgnored(path) {
      let isOut = false
      // A pattern of a deeper folder overrides those of the folders above.
      for (const [folder, rules] of [...byFolder].toSorted(([one], [other]) => one.length - other.length)) {
        const isBelow = folder === '' || path.startsWith(`${folder}/`)
        if (!isBelow) continue
        const { ignored, unignored } = rules.test(folder === '' ? path : path.slice(folder.length + 1))
        isOut = ignored || (isOut && !unignored)
      }
      return isOut
    },
  }
}
