import { launchDigest } from '#features/fingerprint/index.ts'
import { cpuFacts, cpuFeaturesOf, queryVersion, readHotplugged, type QmpConnection } from '#qemu/index.ts'
import type { Progress } from '../act.ts'
import type { Ports } from '../ports.ts'
import { writeHandedLaunch } from './handed-launch.ts'
import { look, stepTimeoutMs, type Leaving } from './leaving.ts'
import { say } from './word.ts'

/** Tells the target what the guest is. */
export async function describe(ports: Ports, { guest, record, vmi, observed }: Leaving): Promise<Progress> {
  const seen = await guest.talk(readGuest, stepTimeoutMs)
  if (seen === undefined) return look()
  const { gracePeriodSeconds, startPaused, arguments: args, domain, leftOut } = record
  const kept = { gracePeriodSeconds, startPaused, arguments: args, domain, ...(leftOut === undefined ? {} : { leftOut }) }
  const fingerprint = await guest.keptHardware()
  const hardware =
    fingerprint === undefined ? {} : { hardware: { fingerprint, launch: launchDigest(args, { ...ports.host, version: seen.qemuVersion }) } }
  const launch = writeHandedLaunch({ ...seen, ...hardware, record: kept, runs: observed.runState === 'running' })
  guest.low = undefined
  guest.awaitedSinceMs = undefined
  return { again: true, vmi: await say(ports, vmi, { sourceState: { steadyvm: { launch } } }) }
}

async function readGuest(qmp: QmpConnection) {
  const [hotplugged, facts, qemuVersion] = await Promise.all([readHotplugged(qmp), cpuFacts(qmp), queryVersion(qmp)])
  return { hotplugged, cpuFeatures: cpuFeaturesOf(facts), qemuVersion }
}
