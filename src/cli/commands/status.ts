import { readFileSync } from 'node:fs'
import { portsOf } from '#machine/config.ts'
import { findProcesses } from '#machine/processes.ts'
import { connectCluster } from '../cluster/connect.ts'
import { EXIT, type CliContext } from '../context.ts'
import { homeDirectory, requireConfig } from '../cluster/home.ts'
import { paintFor, table } from '../render/terminal.ts'
import { readClusterStatus, type ClusterStatus } from '../status/cluster-status.ts'

interface Report extends ClusterStatus {
  readonly server: string
  readonly kubeconfig: string
  readonly reachable: boolean
  readonly problem: string
  readonly processes: readonly { pid: number; role: string; node: string; pod: string; pssKiB: number }[]
}

/** Shows components, nodes and guests. Exit code 2 when something that should be ready is not. */
export async function status(this: CliContext, flags: { dataDir?: string; output: 'text' | 'json' }): Promise<void> {
  const directory = homeDirectory(this, flags.dataDir)
  const config = await requireConfig(directory)
  const processes = findProcesses(directory.root).map(({ pid, role, node, pod }) => ({
    pid,
    role,
    node,
    pod,
    pssKiB: proportionalSize(pid),
  }))
  const base = { server: `https://127.0.0.1:${portsOf(config).api}`, kubeconfig: directory.kubeconfig, processes }
  let report: Report
  try {
    using cluster = await connectCluster(directory)
    report = { ...base, reachable: true, problem: '', ...(await readClusterStatus(cluster.client, config)) }
  } catch (error) {
    report = {
      ...base,
      reachable: false,
      problem: (error as Error).message,
      components: [],
      unreadyNodes: config.nodes,
      installed: false,
      guests: [],
    }
  }
  this.process.stdout.write(flags.output === 'json' ? `${JSON.stringify(report, null, 2)}\n` : render(this, report))
  const healthy = report.reachable && report.unreadyNodes.length === 0 && report.components.every(({ ready }) => ready)
  if (!healthy) this.process.exitCode = EXIT.findings
}

function render(context: CliContext, report: Report): string {
  const paint = paintFor(context, 'stdout')
  if (!report.reachable) {
    const advice =
      report.processes.length === 0 ? 'Nothing runs: start it with "steadyvm up".' : `The API does not answer: ${report.problem}`
    return `${report.server} ${paint('red', 'down')}\n${advice}\n`
  }
  const memory = report.processes.filter(({ role }) => role !== 'compute').reduce((sum, { pssKiB }) => sum + pssKiB, 0)
  const rows = report.components.map(({ component, node, ready, restarts, detail }) => [
    component,
    node,
    ready ? paint('green', 'ready') : paint('red', detail === '' ? 'not ready' : detail),
    restarts === 0 ? '' : `${restarts} restarts`,
  ])
  return [
    `${report.server} ${paint('green', 'ready')}, KUBECONFIG=${report.kubeconfig}\n`,
    `control plane: ${Math.round(memory / 1024)} MiB in ${report.processes.filter(({ role }) => role !== 'compute').length} processes\n\n`,
    table(rows),
    ...(report.unreadyNodes.length === 0 ? [] : [`nodes that are not ready: ${report.unreadyNodes.join(', ')}\n`]),
    `\n${guestsText(report)}`,
  ].join('')
}

function guestsText({ installed, guests }: Report): string {
  if (!installed) return 'nothing that runs guests is installed: make a KubeVirt object\n'
  return guests.length === 0
    ? 'no guests\n'
    : table(guests.map(({ namespace, name, phase, node }) => [`${namespace}/${name}`, phase, node]))
}

/** Proportional set size in KiB: shared pages count once over all processes. */
function proportionalSize(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
