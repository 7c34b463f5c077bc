import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Version of KubeVirt that answers are compared with: its main branch of August 2026. */
export const upstreamCommit = 'd923fdb815cd2016ddaebdaaa51db04133576d72'

const repository = 'https://github.com/kubevirt/kubevirt'
const run = promisify(execFile)

/** KubeVirt's source, or why it is not there. */
export type UpstreamSource = { readonly folder: string } | { readonly missing: string }

/**
 * Returns a checkout of KubeVirt's source. It is taken from STEADYVM_KUBEVIRT_SOURCE, or is fetched
 * once into the user's cache. It is never a part of this repository.
 */
export async function upstreamSource(): Promise<UpstreamSource> {
  const given = process.env['STEADYVM_KUBEVIRT_SOURCE']
  const folder = given ?? join(homedir(), '.cache', 'steadyvm-kubevirt', upstreamCommit)
  if (await isSource(folder)) return { folder }
  if (given !== undefined) return { missing: `STEADYVM_KUBEVIRT_SOURCE: ${given} has no source of KubeVirt` }
  const building = `${folder}.${process.pid}`
  try {
    await mkdir(building, { recursive: true })
    const git = (...args: string[]): Promise<unknown> => run('git', ['-C', building, ...args], { timeout: 600_000 })
    await git('init', '--quiet')
    await git('fetch', '--quiet', '--depth=1', repository, upstreamCommit)
    await git('checkout', '--quiet', 'FETCH_HEAD')
    await rename(building, folder)
    return { folder }
  } catch (error) {
    await rm(building, { recursive: true, force: true })
    const reason = error instanceof Error ? (error.message.split('\n').findLast((line) => line !== '') ?? '') : String(error)
    return { missing: `KubeVirt's source is not at hand (STEADYVM_KUBEVIRT_SOURCE names a checkout of ${upstreamCommit}): ${reason}` }
  }
}

async function isSource(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'go.mod'), 'utf8').catch(() => '')
  return text.startsWith('module kubevirt.io/kubevirt\n')
}
