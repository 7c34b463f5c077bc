import { TransportError } from '#client/client.ts'
import { findQemu } from '#qemu/index.ts'
import { startCluster, ensureDemoGuest, type UpResult } from '#machine/up.ts'
import { GuestSourceMissing } from '#machine/demo-guest/build.ts'
import { findPrometheus, prometheusMissing } from '#machine/monitoring/find-prometheus.ts'
import { homeRegistryFile } from '#machine/home/home-registry.ts'
import { LockTimedOut } from '#machine/home/home-lock.ts'
import { TimedOut, waitUntil } from '#machine/progress.ts'
import { thisRelease } from '#machine/release/release.ts'
import type { Platform } from '#machine/home/config.ts'
import { installedHyperConverged } from '#cli/cluster/hyperconverged-version.ts'
import { connectCluster } from '#cli/cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { homeDirectory } from '#cli/cluster/home.ts'
import { formatDuration } from '#cli/render/terminal.ts'
import { unreadyComponents } from '#cli/status/component-readiness.ts'
import type { DataDirectory } from '#machine/home/data-directory.ts'

/** Flags of `steadyvm up`. */
export interface UpFlags {
  readonly dataDir?: string
  readonly nodes?: number
  readonly port?: number
  readonly accelerator: 'auto' | 'kvm' | 'tcg'
  readonly renewCertificates: boolean
  readonly platform?: Platform
  readonly monitoring?: boolean
  readonly foreground: boolean
  readonly wait: 'api' | 'all'
  readonly timeout: number
}

/** Starts the components that do not run. */
export async function up(this: CliContext, flags: UpFlags): Promise<void> {
  const directory = homeDirectory(this, flags.dataDir)
  const started = this.now()
  const result = await startMachine(this, directory, flags)
  const { stdout, stderr } = this.process
  stderr.write(`API ready at ${result.server} after ${formatDuration(result.apiReadyMs)} (${foundDescriptions[result.found]})\n`)
  await ensurePlatform(this, directory, result, flags.platform)
  await followMonitoring(this, directory, result, flags.monitoring)
  if (flags.wait === 'all') {
    await waitForControlPlane(this, directory, result, flags.timeout * 1000)
    stderr.write(
      `Control plane ready after ${formatDuration(this.now() - started)}, ${result.config.nodes.length} node${result.config.nodes.length === 1 ? '' : 's'}\n`,
    )
    await prepareDemoGuest(this, directory)
  }
  stdout.write(`export KUBECONFIG=${directory.kubeconfig}\n`)
  if (flags.foreground) await stayUntilInterrupted(this, flags)
}

/** Text for {@link UpResult.found}. */
export const foundDescriptions: Readonly<Record<UpResult['found'], string>> = {
  new: 'a new cluster',
  earlier: 'found the data of an earlier cluster',
  running: 'found it running',
  outdated: 'replaced the running one',
}

/**
 * Starts the processes and waits for the API. @throws QemuUnavailable, CommandError with exit code
 * 124 after the time-out
 */
export async function startMachine(
  context: CliContext,
  directory: DataDirectory,
  flags: Omit<UpFlags, 'wait' | 'foreground'>,
): Promise<UpResult> {
  const override = context.process.env['STEADYVM_ACCELERATOR']
  if (flags.monitoring === true && findPrometheus(context.process.env['PATH']) === undefined)
    throw new CommandError(`Cannot run Prometheus: ${prometheusMissing}`)
  await findQemu(context.process.env['PATH'])
  try {
    const result = await startCluster({
      directory,
      release: thisRelease(),
      nodes: positive('nodes', flags.nodes),
      ...(flags.platform === undefined ? {} : { platform: flags.platform }),
      port: positive('port', flags.port),
      homeRegistry: homeRegistryFile(context.process.env),
      ...(flags.monitoring === undefined ? {} : { monitoring: flags.monitoring }),
      accelerator: flags.accelerator === 'auto' ? override : flags.accelerator,
      renewsCertificates: flags.renewCertificates,
      timeoutMs: flags.timeout * 1000,
      now: context.now,
      sleep: context.sleep,
    })
    await restoreOperator(directory, result)
    return result
  } catch (error) {
    if (!(error instanceof TimedOut || error instanceof LockTimedOut)) throw error
    throw new CommandError(error.message, EXIT.timeout, { cause: error })
  }
}

/**
 * Creates or replaces virt-operator's Deployment where the API server, which does so when it
 * starts, has been running before.
 */
async function restoreOperator(directory: DataDirectory, { found }: UpResult): Promise<void> {
  if (found === 'new' || found === 'earlier') return
  const { ensureOperator } = await import('#machine/control-plane/operator-deployment.ts')
  using cluster = await connectCluster(directory)
  await ensureOperator(cluster.client, directory.operatorManifest)
}

/**
 * Installs HyperConverged, unless that was done. What an administrator has uninstalled is installed
 * again only if it is `asked` for.
 */
export async function ensurePlatform(
  context: CliContext,
  directory: DataDirectory,
  { config }: UpResult,
  asked: Platform | undefined,
): Promise<void> {
  if (config.platform !== 'hyperconverged' && asked === undefined) return
  using cluster = await connectCluster(directory)
  const before = await installedHyperConverged(cluster.client)
  if (before === thisRelease().version && asked === undefined) return
  const { ensureHyperConverged, isHyperConvergedInstalled } = await import('#cli/cluster/ensure-hyperconverged.ts')
  const isThere = before !== undefined && (await isHyperConvergedInstalled(cluster.client))
  if (config.platform === 'hyperconverged') {
    if (before !== thisRelease().version || !isThere) await ensureHyperConverged(cluster.client, asked === undefined ? before : undefined)
    return
  }
  if (!isThere) return
  context.process.stderr.write(
    'HyperConverged stays installed, and "up" does not maintain it: "steadyvm uninstall --yes --keep-components" removes it\n',
  )
}

/**
 * Runs Prometheus where it is asked for, now or by an earlier `up`, and ends it otherwise. Where
 * its program has gone, the cluster runs without it.
 */
async function followMonitoring(
  context: CliContext,
  directory: DataDirectory,
  { config }: UpResult,
  asked: boolean | undefined,
): Promise<void> {
  if (config.monitoring === undefined && asked !== false) return
  const { ensureMonitoring, monitoringAddress, removeMonitoring } = await import('#machine/monitoring/ensure-monitoring.ts')
  const program = findPrometheus(context.process.env['PATH'])
  using cluster = await connectCluster(directory)
  if (config.monitoring === undefined) {
    await removeMonitoring(cluster.client, thisRelease())
    return
  }
  if (program === undefined) {
    context.process.stderr.write(`No Prometheus: ${prometheusMissing}\n`)
    return
  }
  await ensureMonitoring({ client: cluster.client, directory, release: thisRelease(), config, program })
  context.process.stderr.write(`Prometheus at http://${monitoringAddress(config)}\n`)
}

/** Waits until every component and node is ready. @throws CommandError with exit code 124 */
export async function waitForControlPlane(
  context: CliContext,
  directory: DataDirectory,
  result: UpResult,
  timeoutMs: number,
): Promise<void> {
  using cluster = await connectCluster(directory)
  try {
    await waitUntil(() => unreadyComponents(cluster.client, result.config).catch(describeLostConnection), {
      timeoutMs,
      intervalMs: 40,
      now: context.now,
      sleep: context.sleep,
      describe: (last) => `not ready yet: ${last}. Logs are below "${directory.root}/nodes"`,
    })
  } catch (error) {
    throw error instanceof TimedOut ? new CommandError(error.message, EXIT.timeout, { cause: error }) : error
  }
}

/** The API server may restart meanwhile. @throws any error but TransportError */
function describeLostConnection(error: unknown): string {
  if (error instanceof TransportError) return error.message
  throw error
}

/** Builds the demo guest. It is optional: a failure is printed and does not stop `up`. */
async function prepareDemoGuest(context: CliContext, directory: DataDirectory): Promise<void> {
  try {
    await ensureDemoGuest(directory, thisRelease())
  } catch (error) {
    // A full or read-only disk does not keep the cluster from running.
    if (!(error instanceof GuestSourceMissing) && !isSystemError(error)) throw error
    context.process.stderr.write(`No demo guest: ${error.message}\n`)
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

function positive(flag: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value > 0 && value < 65_536)) return value
  throw new CommandError(`--${flag} must be a whole number above 0: current value is ${value}`)
}

async function stayUntilInterrupted(context: CliContext, flags: UpFlags): Promise<void> {
  context.process.stderr.write('Running; Ctrl-C ends it\n')
  await new Promise<void>((resolve) => {
    // Without a timer the process would end.
    const alive = setInterval(() => {}, 60_000)
    const end = (): void => {
      clearInterval(alive)
      resolve()
    }
    if (context.signal.aborted) end()
    else context.signal.addEventListener('abort', end, { once: true })
  })
  const { down } = await import('./down.ts')
  await down.call(context, { ...(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir }), timeout: 20 })
}
