import { launchDigest } from '#features/fingerprint/index.ts'
import { cpuFacts, cpuFeaturesOf, queryVersion, readHotplugged, type QmpConnection } from '#qemu/index.ts'
import type { Progress } from '../act.ts'
import type { Ports } from '../ports.ts'
import { channelsOf, writeHandedLaunch, type HandedLaunch } from './handed-launch.ts'
import { look, type Leaving } from './leaving.ts'
import { say } from './word.ts'

/**
 * Milliseconds for some hundred questions, each of which waits its turn with a guest that works.
 */
const describeTimeoutMs = 120_000

/** Tells the target what the guest is. */
export async function describe(ports: Ports, { guest, record, vmi, observed }: Leaving): Promise<Progress> {
  const seen = await guest.talk(async (qmp) => {
    // They are the guest's for life, and many.
    guest.cpuFeatures ??= cpuFeaturesOf(await cpuFacts(qmp))
    return { ...(await readGuest(qmp)), cpuFeatures: guest.cpuFeatures }
  }, describeTimeoutMs)
  if (seen === undefined) return look()
  const { gracePeriodSeconds, startPaused, arguments: args, domain, leftOut } = record
  const kept = { gracePeriodSeconds, startPaused, arguments: args, domain, ...(leftOut === undefined ? {} : { leftOut }) }
  const fingerprint = await guest.keptHardware()
  const hardware =
    fingerprint === undefined ? {} : { hardware: { fingerprint, launch: launchDigest(args, { ...ports.host, version: seen.qemuVersion }) } }
  const channels = channelsOf(vmi.spec)
  const parallel = channels === undefined ? {} : { channels }
  const launch = writeHandedLaunch({ ...seen, ...hardware, ...parallel, record: kept, runs: observed.runState === 'running' })
  guest.low = undefined
  guest.awaitedSinceMs = undefined
  return { again: true, vmi: await say(ports, vmi, { sourceState: { steadyvm: { launch } } }) }
}

async function readGuest(qmp: QmpConnection): Promise<Pick<HandedLaunch, 'hotplugged' | 'qemuVersion'>> {
  const [hotplugged, qemuVersion] = await Promise.all([readHotplugged(qmp), queryVersion(qmp)])
  return { hotplugged, qemuVersion }
}
