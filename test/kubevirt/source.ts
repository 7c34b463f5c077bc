import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Projects whose answers are compared with ours, each at one commit of August 2026. */
const projects = {
  kubevirt: {
    commit: 'd923fdb815cd2016ddaebdaaa51db04133576d72',
    module: 'kubevirt.io/kubevirt',
    repository: 'kubevirt/kubevirt',
    variable: 'STEADYVM_KUBEVIRT_SOURCE',
  },
  'containerized-data-importer': {
    commit: 'c07cdb6fbd18976c44f65f1e4c0deae03e33e718',
    module: 'kubevirt.io/containerized-data-importer',
    repository: 'kubevirt/containerized-data-importer',
    variable: 'STEADYVM_CDI_SOURCE',
  },
  'hyperconverged-cluster-operator': {
    commit: '03da3cff7325b28b4a7361a90bc921e184f875ef',
    module: 'github.com/kubevirt/hyperconverged-cluster-operator',
    repository: 'kubevirt/hyperconverged-cluster-operator',
    variable: 'STEADYVM_HCO_SOURCE',
  },
  'operator-registry': {
    commit: '4f9d6f222b01aac84c52de7dbdaa6a289380a303',
    module: 'github.com/operator-framework/operator-registry',
    repository: 'operator-framework/operator-registry',
    variable: 'STEADYVM_OPM_SOURCE',
  },
  'tekton-pipeline': {
    commit: '3ee1745ae5b2d9175b11917d7c1935eaad44910c',
    module: 'github.com/tektoncd/pipeline',
    repository: 'tektoncd/pipeline',
    variable: 'STEADYVM_TEKTON_SOURCE',
  },
} as const

export type Project = keyof typeof projects

const run = promisify(execFile)

/** Source of a project, or why it is not there. */
export type UpstreamSource = { readonly folder: string } | { readonly missing: string }

/**
 * Returns a checkout of a project. It is taken from the folder that the project's variable names,
 * or is fetched once into the user's cache. It is never a part of this repository.
 */
export async function upstreamSource(project: Project): Promise<UpstreamSource> {
  const { commit, module, repository, variable } = projects[project]
  const given = process.env[variable]
  const folder = given ?? join(homedir(), '.cache', `steadyvm-${project}`, commit)
  if (await isSource(folder, module)) return { folder }
  if (given !== undefined) return { missing: `${variable}: ${given} has no source of ${project}` }
  const building = `${folder}.${process.pid}`
  try {
    await mkdir(building, { recursive: true })
    const git = (...args: string[]): Promise<unknown> => run('git', ['-C', building, ...args], { timeout: 600_000 })
    await git('init', '--quiet')
    await git('fetch', '--quiet', '--depth=1', `https://github.com/${repository}`, commit)
    await git('checkout', '--quiet', 'FETCH_HEAD')
    await rename(building, folder)
    return { folder }
  } catch (error) {
    await rm(building, { recursive: true, force: true })
    const reason = error instanceof Error ? (error.message.split('\n').findLast((line) => line !== '') ?? '') : String(error)
    return { missing: `the source of ${project} is not here (${variable} may name a checkout of ${commit}): ${reason}` }
  }
}

async function isSource(folder: string, module: string): Promise<boolean> {
  const text = await readFile(join(folder, 'go.mod'), 'utf8').catch(() => '')
  return text.startsWith(`module ${module}\n`)
}
