import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildDemoGuest } from '#machine/demo-guest/build.ts'
import { cacheFolder } from '../cache.ts'
import { repository, type TestMachine } from '../machine.ts'
import { demoKernelArguments, demoVirtualMachine, editGuest } from '../manifests.ts'
import { recordSerials, writerScript } from './records.ts'

const image = 'tests/recording-guest:v1'

/** Stores the demo guest with a writer of records. */
export async function addRecordingImage(machine: TestMachine): Promise<void> {
  await machine.addImage(image, async (folder) => {
    const guestDirectory = mkdtempSync(join(tmpdir(), 'recording-guest-'))
    try {
      cpSync(join(repository, 'guest'), guestDirectory, { recursive: true })
      const init = join(guestDirectory, 'init')
      const writer = `cat >/bin/writer <<'END'\n${writerScript}END\nchmod +x /bin/writer\n/bin/writer </dev/null &\n`
      writeFileSync(init, readFileSync(init, 'utf8').replace('\n/bin/report\n', `\n${writer}/bin/report\n`))
      const sources = { kernelDirectory: join(cacheFolder, 'guest-kernel'), busybox: '/bin/busybox', sshDirectory: '', guestDirectory }
      await buildDemoGuest(sources, folder)
    } finally {
      rmSync(guestDirectory, { recursive: true })
    }
  })
}

/** Returns a VM whose guest writes records to two claims. */
export function recordingVirtualMachine(name: string, namespace: string, claims: readonly [string, string]): object {
  const vm = editGuest(demoVirtualMachine(name, { namespace, memory: '80Mi' }), ({ domain, ...spec }) => ({
    ...spec,
    // A guest that is asked to stop has nothing to finish.
    terminationGracePeriodSeconds: 5,
    evictionStrategy: 'LiveMigrate',
    domain: {
      ...domain,
      firmware: {
        kernelBoot: { container: { image, kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd' }, kernelArgs: demoKernelArguments },
      },
      devices: { ...domain.devices, disks: recordSerials.map((serial) => ({ name: serial, disk: { bus: 'virtio' }, serial })) },
    },
    volumes: recordSerials.map((disk, index) => ({ name: disk, persistentVolumeClaim: { claimName: claims[index] } })),
  }))
  return JSON.parse(vm) as object
}

/** A run of a guest that found its disks as they should not be. */
export type Violation = string

interface Log {
  descriptor: number
  offset: number
  rest: string
}

/** Milliseconds between two looks at the consoles. */
const lookEveryMs = 300

/** What a guest has told on its serial console, in whichever QEMU it ran. Disposal ends it. */
export class RecordingGuest implements Disposable {
  readonly name: string
  /** Number of the last record that the guest has acknowledged, or of a restored disk. */
  acknowledged = 0
  /** Number of all acknowledgements. */
  count = 0
  /** Number of writes that have failed. */
  refused = 0
  /** Number of times that the guest has booted. */
  boots = 0
  /** Sectors of each disk, by its serial number, or by its name without one. */
  sizes: ReadonlyMap<string, number> = new Map()
  readonly plugged: Set<string> = new Set()
  readonly violations: Violation[] = []
  /** The guest has booted from the disks of {@link mayBeRestoredTo}. */
  isRestored = false
  #restored: number | undefined
  #isNew = false
  readonly #machine: Pick<TestMachine, 'guests'>
  readonly #logs = new Map<number, Log>()
  #isOver = false

  constructor(machine: Pick<TestMachine, 'guests'>, name: string) {
    this.#machine = machine
    this.name = name
    void this.#follow()
  }

  /** Expects the guest to boot next from disks with this record as their last one. */
  restoredTo(last: number): void {
    this.acknowledged = last
    this.#isNew = true
  }

  /**
   * Accepts that the guest boots from older disks, with this record as their last one, from when on
   * it goes on from there. Undefined: no longer.
   */
  mayBeRestoredTo(last: number | undefined): void {
    this.isRestored = false
    this.#restored = last
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    for (const { descriptor } of this.#logs.values()) closeSync(descriptor)
    this.#logs.clear()
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      const running = new Set<number>()
      for (const { name, process, serialLog } of this.#machine.guests()) {
        if (name !== this.name || serialLog === undefined) continue
        running.add(process.pid)
        this.#open(process.pid, serialLog)
      }
      for (const [pid, log] of this.#logs) {
        this.#read(log)
        if (running.has(pid)) continue
        closeSync(log.descriptor)
        this.#logs.delete(pid)
      }
      await sleep(lookEveryMs)
    }
  }

  /**
   * Opens a log at each look, since a QEMU that is being started has another file there until its
   * own is mounted. Keeps it open: what QEMU has written last is read after its end.
   */
  #open(pid: number, path: string): void {
    let descriptor: number
    try {
      descriptor = openSync(`/proc/${pid}/root${path}`, 'r')
    } catch {
      // QEMU has not made it yet, or has ended.
      return
    }
    const known = this.#logs.get(pid)
    if (known === undefined) {
      this.#logs.set(pid, { descriptor, offset: 0, rest: '' })
      return
    }
    closeSync(known.descriptor)
    known.descriptor = descriptor
  }

  #read(log: Log): void {
    const chunk = Buffer.alloc(65_536)
    for (;;) {
      const length = readSync(log.descriptor, chunk, 0, chunk.length, log.offset)
      if (length === 0) return
      log.offset += length
      const lines = (log.rest + chunk.toString('latin1', 0, length)).split('\n')
      log.rest = lines.pop() ?? ''
      for (const line of lines) this.#hear(/~([^~]*) ~/.exec(line)?.[1]?.split(' ') ?? [])
    }
  }

  #hear([word = '', ...values]: readonly string[]): void {
    switch (word) {
      case 'ack': {
        const [number = 0, check] = values.map(Number)
        if (check !== (number * 7 + 3) % 1000) return
        this.acknowledged = Math.max(this.acknowledged, number)
        this.count += 1
        return
      }
      case 'start': {
        const [one = 0, ofOne = 0, two = 0, ofTwo = 0] = values.slice(1).map(Number)
        this.boots += 1
        if (this.#restored === two && !this.isRestored) {
          this.isRestored = true
          this.acknowledged = two
        }
        const told = `${this.name} found records until ${one} (${ofOne}) and ${two} (${ofTwo}) after ${this.acknowledged} was acknowledged`
        if (Math.min(one, two) < this.acknowledged) this.violations.push(`${told}: records are lost`)
        if (two > one || one > two + 1) this.violations.push(`${told}: the disks are of two instants`)
        if (this.#isNew && two > this.acknowledged) this.violations.push(`${told}: the disks are not those of the snapshot`)
        this.#isNew = false
        for (const [last, all] of [
          [one, ofOne],
          [two, ofTwo],
        ] as const)
          if (all < Math.min(last, 256) - 1) this.violations.push(`${told}: records are missing`)
        return
      }
      case 'refused':
        this.refused += 1
        return
      case 'plugged':
        this.plugged.add(values[0] ?? '')
        return
      case 'disks':
        this.sizes = new Map(
          values.map((text) => {
            const [disk = '', size, serial] = text.split(':')
            return [serial || disk, Number(size)]
          }),
        )
    }
  }
}
