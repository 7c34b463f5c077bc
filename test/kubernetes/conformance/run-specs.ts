import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { once } from 'node:events'
import { newestKubectl } from '../../support/kubectl.ts'
import { programPath } from '../programs/build.ts'

/** Result of one spec. */
export interface SpecResult {
  /** Its texts, as `--ginkgo.focus` matches them. */
  readonly name: string
  readonly state: 'passed' | 'failed' | 'skipped'
  /** Why it failed, or skipped itself. */
  readonly message: string
  readonly seconds: number
}

/** Which specs to run, and against what. */
export interface SpecRun {
  readonly kubeconfig: string
  readonly programs: string
  /** Folder for the log and the report. */
  readonly work: string
  /** Regular expressions of Go for the names of specs. */
  readonly focus: string
  readonly skip?: string
  readonly minutes: number
  /** Only lists the specs, as passed. */
  readonly dry?: boolean
}

interface Report {
  readonly SpecReports: readonly {
    readonly ContainerHierarchyTexts: readonly string[] | null
    readonly LeafNodeText: string
    readonly LeafNodeType: string
    readonly State: string
    readonly RunTime: number
    readonly Failure?: { readonly Message?: string }
  }[]
}

/**
 * Runs specs of Kubernetes' end-to-end tests, one after the other. The result has those, too, that
 * skip themselves.
 */
export async function runSpecs({ kubeconfig, programs, work, focus, skip, minutes, dry = false }: SpecRun): Promise<readonly SpecResult[]> {
  const report = join(work, 'report.json')
  const log = createWriteStream(join(work, 'e2e.log'), { flags: 'a' })
  const cluster = ['--kubeconfig', kubeconfig, '--provider', 'skeleton', '--kubectl-path', newestKubectl().path, '--disable-log-dump']
  const chosen = ['--ginkgo.focus', focus, ...(skip === undefined ? [] : ['--ginkgo.skip', skip]), ...(dry ? ['--ginkgo.dry-run'] : [])]
  const output = ['--ginkgo.json-report', report, '--ginkgo.timeout', `${minutes}m`, '--ginkgo.no-color', '--ginkgo.v']
  const child = spawn(programPath(programs, 'e2e.test'), [...cluster, ...chosen, ...output], {
    cwd: work,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  await once(child, 'close')
  log.end()
  const [suite] = JSON.parse(await readFile(report, 'utf8')) as Report[]
  return (suite?.SpecReports ?? [])
    .filter(({ LeafNodeType, State, Failure }) => LeafNodeType === 'It' && (State !== 'skipped' || Failure?.Message !== undefined))
    .filter(({ State }) => State !== 'pending')
    .map((spec) => ({
      name: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' '),
      state: spec.State === 'passed' || spec.State === 'skipped' ? spec.State : 'failed',
      message: spec.Failure?.Message ?? '',
      seconds: spec.RunTime / 1e9,
    }))
}
