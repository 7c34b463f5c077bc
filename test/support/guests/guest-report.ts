import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { buildDemoGuest } from '#machine/demo-guest/build.ts'
import { repository, type TestMachine } from '../machine.ts'
import { cacheFolder } from '../cache.ts'

/** One line of the guest's report: subject and facts. */
export interface Finding {
  readonly subject: string
  readonly facts: Readonly<Record<string, string>>
}

/** Parses a guest's report of its hardware, line by line. Words without `=` are flags. */
export function parseReport(text: string): Finding[] {
  return text
    .split(/\r?\n/)
    .filter((line) => /^[a-z-]+ /.test(line))
    .map((line) => {
      const [subject = '', ...words] = line.trim().split(/\s+/)
      return {
        subject,
        facts: Object.fromEntries(words.map((word) => [word.split('=')[0] ?? '', word.slice(word.indexOf('=') + 1)])),
      }
    })
}

const fullKernel = join(cacheFolder, 'guest-kernel-full')

/**
 * Reason to skip tests whose guests need drivers for more than virtio; false when the kernel is
 * available.
 */
export const noFullKernel: string | false = existsSync(join(fullKernel, 'boot'))
  ? false
  : 'no kernel with all drivers: run "node tools/setup.mjs --test"'

/** Reference of the demo guest with drivers for everything that QEMU emulates. */
export const fullGuestImage = 'steadyvm.io/demo-guest:full'

/** Stores the image where a machine's guests find it. */
export async function buildFullGuest(machine: TestMachine): Promise<void> {
  const sources = { kernelDirectory: fullKernel, busybox: '/bin/busybox', sshDirectory: '', guestDirectory: join(repository, 'guest') }
  await machine.addImage(fullGuestImage, (folder) => buildDemoGuest(sources, folder))
}
