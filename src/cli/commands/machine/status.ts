import { readFileSync } from 'node:fs'
import type { MachineConfig } from '#machine/home/config.ts'
import { monitoringAddress } from '#machine/monitoring/ensure-monitoring.ts'
import { createApiProbe } from '#machine/control-plane/api-probe.ts'
import { readApiServerExit, type ApiServerExit } from '#machine/control-plane/apiserver-log.ts'
import type { DataDirectory } from '#machine/home/data-directory.ts'
import { pkiPaths } from '#machine/pki/pki.ts'
import { findProcesses, isOfGuest } from '#machine/supervisor/processes.ts'
import { connectCluster } from '#cli/cluster/connect.ts'
import { EXIT, type CliContext } from '#cli/context.ts'
import { homeDirectory, requireConfig } from '#cli/cluster/home.ts'
import { formatDuration, paintFor, table } from '#cli/render/terminal.ts'
import { readClusterStatus, type ClusterStatus } from '#cli/status/cluster-status.ts'

interface Report extends ClusterStatus {
  /** Result of `/readyz`. */
  readonly ready: boolean
  readonly server: string
  readonly kubeconfig: string
  readonly reachable: boolean
  /** Reason why the API server is not ready or not reachable. */
  readonly problem: string
  /** Last exit of the API server; set while it cannot be reached. */
  readonly apiServerExit?: ApiServerExit
  /** Address of Prometheus. Absent: it does not run. */
  readonly monitoring?: string
  readonly processes: readonly { pid: number; role: string; node: string; pod: string; pssKiB: number }[]
}

/** Shows components, nodes and guests. Exit code 2 when one is not ready. */
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
  const monitoring = monitoringAddress(config)
  const base = {
    server: `https://127.0.0.1:${config.apiPort}`,
    kubeconfig: directory.kubeconfig,
    processes,
    ...(monitoring === undefined ? {} : { monitoring: `http://${monitoring}` }),
  }
  let report: Report
  try {
    using cluster = await connectCluster(directory)
    const [problem = '', found] = await Promise.all([readiness(directory, config), readClusterStatus(cluster.client, config)])
    report = { ...base, reachable: true, ready: problem === '', problem, ...found }
  } catch (error) {
    const exit = await readApiServerExit(directory.node(config.nodes[0] ?? ''))
    report = {
      ...base,
      ...(exit === undefined ? {} : { apiServerExit: exit }),
      reachable: false,
      ready: false,
      problem: (error as Error).message,
      components: [],
      unreadyNodes: config.nodes,
      installed: false,
      guests: [],
    }
  }
  this.process.stdout.write(flags.output === 'json' ? `${JSON.stringify(report, null, 2)}\n` : render(this, report))
  const healthy = report.ready && report.unreadyNodes.length === 0 && report.components.every(({ ready }) => ready)
  if (!healthy) this.process.exitCode = EXIT.findings
}

/** Returns why `/readyz` fails, or undefined when it succeeds. */
async function readiness(directory: DataDirectory, config: MachineConfig): Promise<string | undefined> {
  using probe = await createApiProbe(config.apiPort, pkiPaths(directory.pki))
  return await probe.check()
}

function render(context: CliContext, report: Report): string {
  const paint = paintFor(context, 'stdout')
  if (!report.reachable) return `${report.server} ${paint('red', 'down')}\n${adviceFor(report, context.now())}\n`
  const memory = report.processes.filter((found) => !isOfGuest(found)).reduce((sum, { pssKiB }) => sum + pssKiB, 0)
  const rows = report.components.map(({ component, node, ready, restarts, detail }) => [
    component,
    node,
    ready ? paint('green', 'ready') : paint('red', detail === '' ? 'not ready' : detail),
    restarts === 0 ? '' : `${restarts} restarts`,
  ])
  return [
    `${report.server} ${report.ready ? paint('green', 'ready') : paint('red', 'not ready')}, KUBECONFIG=${report.kubeconfig}\n`,
    ...(report.ready ? [] : [`The API server is not ready: ${report.problem}\n`]),
    `control plane: ${Math.round(memory / 1024)} MiB in ${report.processes.filter((found) => !isOfGuest(found)).length} processes\n\n`,
    table(rows),
    ...(report.monitoring === undefined ? [] : [`Prometheus at ${report.monitoring}\n`]),
    ...(report.unreadyNodes.length === 0 ? [] : [`nodes that are not ready: ${report.unreadyNodes.join(', ')}\n`]),
    ...upgradeLines(report),
    ...importLines(report),
    `\n${guestsText(report)}`,
  ].join('')
}

function adviceFor({ processes, problem, apiServerExit }: Report, nowMs: number): string {
  if (processes.length === 0) return 'Nothing runs: start it with "steadyvm up".'
  if (apiServerExit === undefined) return `The API does not answer: ${problem}`
  const { exitCode, restarts, finishedAt, error, isRunningAgain } = apiServerExit
  return [
    `The API server ended with exit code ${exitCode} ${formatDuration(Math.max(nowMs - finishedAt, 0))} ago, after ${restarts} restarts: ${error}`,
    isRunningAgain
      ? `It has been restarted and does not answer yet: ${problem}`
      : 'It is restarted after a pause of at most 1 min; "steadyvm up" restarts it now.',
  ].join('\n')
}

function upgradeLines({ platformUpgrade }: Report): readonly string[] {
  if (platformUpgrade === undefined) return []
  const { from, to, stage, message } = platformUpgrade
  // The message of a refusal names the versions itself.
  if (stage === 'Preflight' && message !== undefined) return [`${message}\n`]
  return [`upgrade of the platform from ${from} to ${to}, stage ${stage}${message === undefined ? '' : `: ${message}`}\n`]
}

function importLines({ importsByCdi }: Report): readonly string[] {
  return importsByCdi === true ? ['DataVolumes are left to CDI, whose CRDs are installed\n'] : []
}

function guestsText({ installed, guests }: Report): string {
  if (!installed) return 'KubeVirt is not installed: create a KubeVirt object\n'
  return guests.length === 0
    ? 'no guests\n'
    : table(guests.map(({ namespace, name, phase, node }) => [`${namespace}/${name}`, phase, node]))
}

/** Returns the proportional set size in KiB, in which shared pages are counted once. */
function proportionalSize(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
