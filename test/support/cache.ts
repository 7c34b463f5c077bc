import { join } from 'node:path'
import { defaultRoot } from '#machine/home/data-directory.ts'

/** Folder with the downloads of `tools/setup.mjs --test` for all test machines. */
export const cacheFolder: string = join(defaultRoot(process.env), 'cache')
