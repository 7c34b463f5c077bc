import { globSync, readFileSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder } from '../cache.ts'
import { editGuest } from '../manifests.ts'
import type { TestMachine } from '../machine.ts'

const image = 'tests/pktgen'

/** Path of the packet generator of the guests' kernel, which sends frames of all kinds. */
function generator(): string | undefined {
  return globSync(join(cacheFolder, 'guest-kernel/lib/modules/*/kernel/net/core/pktgen.ko'))[0]
}

/** Reason to skip tests whose guests send frames that no program would; false when they can. */
export const noGenerator: string | false = generator() === undefined && 'the kernel of the demo guest has no packet generator'

/**
 * Gives a VM the packet generator, on a disk: {@link sending} loads it. Adds its image to the
 * machine.
 */
export async function withGenerator(machine: TestMachine, vm: string): Promise<string> {
  await machine.addImage(`${image}:v1`, async (folder) => {
    const bytes = readFileSync(generator() ?? '')
    const disk = Buffer.alloc(Math.ceil(bytes.length / 4096) * 4096)
    bytes.copy(disk)
    await mkdir(join(folder, 'disk'), { recursive: true })
    await writeFile(join(folder, 'disk/pktgen.img'), disk)
  })
  return editGuest(vm, ({ domain, ...spec }) => ({
    ...spec,
    domain: { ...domain, devices: { ...domain.devices, disks: [{ name: 'pktgen', disk: { bus: 'virtio' } }] } },
    volumes: [{ name: 'pktgen', containerDisk: { image: `${image}:v1` } }],
  }))
}

/**
 * Has a guest send frames of UDP from its first card without a pause, until disposal. `settings`:
 * those of the kernel's packet generator, such as `dst 10.0.0.1`.
 */
export async function sending(machine: TestMachine, guest: string, settings: readonly string[]): Promise<AsyncDisposable & Sender> {
  const size = statSync(generator() ?? '').size
  await machine.inGuest(`[ -d /proc/net/pktgen ] || { head -c ${size} /dev/vda >/pktgen.ko; insmod /pktgen.ko; }`, guest)
  await machine.inGuest('cd /proc/net/pktgen && echo rem_device_all >kpktgend_0 && echo add_device eth0 >kpktgend_0', guest)
  const lines = ['count 0', 'delay 0', 'pkt_size 60', ...settings].map((line) => `'${line}'`)
  // The guest's shell takes lines of 1,024 characters.
  for (let first = 0; first < lines.length; first += 10)
    await machine.inGuest(
      `cd /proc/net/pktgen; for line in ${lines.slice(first, first + 10).join(' ')}; do echo "$line" >eth0 || exit; done`,
      guest,
    )
  await machine.inGuest('(echo start >/proc/net/pktgen/pgctrl) >/dev/null 2>&1 </dev/null &', guest)
  const sent = async (): Promise<number> =>
    Number(/pkts-sofar: (\d+)/.exec(await machine.inGuest('cat /proc/net/pktgen/eth0', guest))?.[1] ?? 0)
  return {
    sent,
    async [Symbol.asyncDispose]() {
      await machine.inGuest('echo stop >/proc/net/pktgen/pgctrl', guest)
    },
  }
}

/** Frames that are being sent. */
export interface Sender {
  /** Returns how many the guest has sent. */
  sent(): Promise<number>
}
