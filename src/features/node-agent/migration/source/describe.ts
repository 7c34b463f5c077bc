import { launchDigest } from '#features/hardware-record/index.ts'
import { cpuFacts, cpuFeaturesOf, queryVersion, readHotplugged, type QmpConnection } from '#qemu/index.ts'
import type { Progress } from '#features/node-agent/guest/progress.ts'
import type { Ports } from '#features/node-agent/guest/ports.ts'
import { channelsOf, formatSourceLaunch, type SourceLaunch } from '../source-launch.ts'
import { pollAgain } from '../polling.ts'
import type { SourceMigration } from './context.ts'
import { patchMigrationState } from '../migration-state.ts'

/** Limit in milliseconds for some hundred QMP commands to a busy guest. */
const describeTimeoutMs = 120_000

/** Publishes the guest's launch for the target. */
export async function publishLaunch(ports: Ports, { guest, record, vmi, observed }: SourceMigration): Promise<Progress> {
  const facts = await guest.query(async (qmp) => {
    // Cached: CPU features never change, and take many queries.
    guest.cpuFeatures ??= cpuFeaturesOf(await cpuFacts(qmp))
    return { ...(await readGuest(qmp)), cpuFeatures: guest.cpuFeatures }
  }, describeTimeoutMs)
  if (facts === undefined) return pollAgain()
  const { gracePeriodSeconds, startPaused, arguments: args, domain, leftOut } = record
  const kept = { gracePeriodSeconds, startPaused, arguments: args, domain, ...(leftOut === undefined ? {} : { leftOut }) }
  const fingerprint = await guest.recordedFingerprint()
  const hardware =
    fingerprint === undefined
      ? {}
      : { hardware: { fingerprint, launch: launchDigest(args, { ...ports.host, version: facts.qemuVersion }) } }
  const channels = channelsOf(vmi.spec)
  const parallel = channels === undefined ? {} : { channels }
  const launch = formatSourceLaunch({ ...facts, ...hardware, ...parallel, record: kept, runs: observed.runState === 'running' })
  guest.lowestRemaining = undefined
  guest.stopWaiting()
  return { again: true, vmi: await patchMigrationState(ports, vmi, { sourceState: { steadyvm: { launch } } }) }
}

async function readGuest(qmp: QmpConnection): Promise<Pick<SourceLaunch, 'hotplugged' | 'qemuVersion'>> {
  const [hotplugged, qemuVersion] = await Promise.all([readHotplugged(qmp), queryVersion(qmp)])
  return { hotplugged, qemuVersion }
}
