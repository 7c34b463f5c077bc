import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'yaml'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { TestQemu } from '#qemu/guest.fixture.ts'
import { repository } from '../support/machine.ts'
import { startLinux, untilGuestPrints } from './linux-guest.ts'

/**
 * TSC frequency of a calibration that a host stall falsified: Linux once measured this for 2,250
 * MHz.
 */
const spoiledKhz = 132_000

/** Returns the uptime of the guest, and the host's time at the answer, in seconds. */
async function readClocks(guest: TestQemu): Promise<{ readonly guest: number; readonly host: number }> {
  const [, uptime] = await untilGuestPrints(guest, 'read a b </proc/uptime; echo "up:$a:"', /up:([\d.]+):/)
  return { guest: Number(uptime), host: performance.now() / 1000 }
}

suite('the clock of a guest under emulation', { concurrency: false }, () => {
  test('is correct with the command line of the example, after a wrong TSC calibration and a host stall', async (t) => {
    const { spec } = parse(await readFile(join(repository, 'examples/3-virtual-machine.yaml'), 'utf8')) as VirtualMachine
    const { firmware, clock } = spec.template.spec.domain
    const guest = await startLinux(t, {
      commandLine: `${firmware?.kernelBoot?.kernelArgs ?? ''} tsc_early_khz=${spoiledKhz}`,
      hpet: clock?.timer?.hpet?.present === true,
    })
    const before = await readClocks(guest)
    process.kill(guest.pid, 'SIGSTOP')
    // Longer than the 4.7 s after which the 24 bits of the ACPI timer wrap.
    await sleep(5_500)
    process.kill(guest.pid, 'SIGCONT')
    const after = await readClocks(guest)
    const ratio = (after.guest - before.guest) / (after.host - before.host)
    assert.ok(ratio > 0.8 && ratio < 1.2, `the guest counted ${ratio.toFixed(2)} seconds for each second of the host`)
  })
})
