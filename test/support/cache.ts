import { join } from 'node:path'
import { defaultRoot } from '#machine/data-directory.ts'

/** Folder of what `tools/setup.mjs --test` fetches once for all machines of the tests. */
export const cacheFolder: string = join(defaultRoot(process.env), 'cache')
