import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { found } from '#client/found.ts'
import { hyperConvergedKey } from '#features/hyperconverged/index.ts'
import { virtualMachineInstancetypes } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import type { DataDirectory } from '#machine/home/data-directory.ts'
import type { RunningGuest } from '#machine/guests/running-guests.ts'
import { thisRelease } from '#machine/release/release.ts'
import { runInGuest } from '#machine/guests/serial-console.ts'
import { DEMO_GUEST_IMAGE, ensureDemoGuest, type UpResult } from '#machine/up.ts'
import { connectCluster } from '#cli/cluster/connect.ts'
import { CommandError, type CliContext } from '#cli/context.ts'
import { homeDirectory } from '#cli/cluster/home.ts'
import { findRunningGuest } from '#cli/cluster/running-guest.ts'
import { findGuests } from '#machine/guests/running-guests.ts'
import { paintFor, table } from '#cli/render/terminal.ts'
import { applyManifest, readManifests } from '#cli/walk/examples.ts'
import { createWalkthrough } from '#cli/walk/steps.ts'
import { waitFor } from '#cli/walk/wait-for.ts'
import { ensurePlatform, foundDescriptions, startMachine, waitForControlPlane } from './up.ts'

const KEY = { namespace: 'default', name: 'demo' }
const TYPE_KEY = { namespace: 'default', name: 'small' }
/** New size of the instance type. A guest that followed it would have changed its size. */
const EDITED = { cpu: { guest: 4 }, memory: { guest: '256Mi' } }

/** Runs a demonstration with real objects and a real guest. The control plane keeps running. */
export async function walk(this: CliContext, flags: { dataDir?: string; timeout: number }): Promise<void> {
  const directory = homeDirectory(this, flags.dataDir)
  const timeoutMs = flags.timeout * 1000
  const story = createWalkthrough(this)
  let result: UpResult | undefined
  await story.step('Start the control plane', async () => {
    result = await startMachine(this, directory, { ...flags, accelerator: 'auto', renewCertificates: false })
    await ensurePlatform(this, directory, result, undefined)
    return [
      `API ready at ${result.server} after ${Math.round(result.apiReadyMs)} ms (${foundDescriptions[result.found]})`,
      `export KUBECONFIG=${directory.kubeconfig}`,
      'then try: kubectl get vm,vmi,pods,nodes -A',
      '          kubectl explain vm.spec.instancetype',
      '          bin/steadyvm console demo',
    ]
  })
  await story.step('Wait for every component', async () => {
    if (result !== undefined) await waitForControlPlane(this, directory, result, timeoutMs)
    const { built } = await ensureDemoGuest(directory, thisRelease())
    return [`demo guest ${DEMO_GUEST_IMAGE} ${built ? 'built from a Debian kernel and busybox' : 'is in the image store'}`]
  })
  using cluster = await connectCluster(directory)
  if (result?.config.platform === 'hyperconverged')
    await story.step('See HyperConverged configure the platform', () => showPlatform(this, cluster.client, timeoutMs))
  const tour = new Tour(this, cluster.client, directory, timeoutMs)
  await story.step('Apply examples/: an instance type, a preference, a VM that names both', () => tour.apply())
  await story.step('See the VM captured: two ControllerRevisions hold what it was sized by', () => tour.showCapture())
  await story.step('See its guest boot: a line from its userspace on the serial console', () => tour.showBoot())
  await story.step('Edit the instance type, restart the VM, and ask the guest what it sees', () => tour.editAndRestart())
  this.process.stdout.write(`\n${story.summary()}\n`)
  this.process.stdout.write(`${tour.verdict()}\n`)
  this.process.stdout.write('The control plane goes on running; "npm stop" ends it and keeps the data.\n')
}

async function showPlatform(context: CliContext, client: Client, timeoutMs: number): Promise<string[]> {
  // Deleted by its administrator, it is not created again.
  if ((await found(client.get(hyperConvergeds, hyperConvergedKey))) === undefined) return ['There is no HyperConverged object any more']
  const { status } = await waitFor(context, client, hyperConvergeds, hyperConvergedKey, {
    holds: (object) => isTrue(object.status?.conditions, 'Available'),
    describe: (object) => `HyperConverged is not available: ${JSON.stringify(object?.status?.conditions ?? [])}`,
    timeoutMs,
  })
  const ready = (status?.steadyvm?.components ?? []).filter(({ state }) => state === 'Ready')
  return [`Available, with ${ready.map(({ name }) => name).join(', ')}`, `configure it: kubectl edit -n ${hyperConvergedKey.namespace} hco`]
}

/** Hardware as the guest reports it. */
interface GuestReport {
  readonly cpus: string
  readonly memory: string
  readonly line: string
}

class Tour {
  readonly #context: CliContext
  readonly #client: Client
  readonly #directory: DataDirectory
  readonly #timeoutMs: number
  #before: GuestReport | undefined
  #after: GuestReport | undefined

  constructor(context: CliContext, client: Client, directory: DataDirectory, timeoutMs: number) {
    this.#context = context
    this.#client = client
    this.#directory = directory
    this.#timeoutMs = timeoutMs
  }

  async apply(): Promise<string[]> {
    const manifests = await readManifests(join(thisRelease().root, 'examples'))
    const lines: string[] = []
    for (const manifest of manifests) lines.push(await applyManifest(this.#client, manifest))
    return lines
  }

  async showCapture(): Promise<string[]> {
    const vm = await waitFor(this.#context, this.#client, virtualMachines, KEY, {
      holds: (object) => revisionNames(object).length === 2,
      describe: (object) => `VM "demo" has no captured revisions; its status is ${JSON.stringify(object?.status ?? {})}`,
      timeoutMs: this.#timeoutMs,
    })
    const lines: string[] = []
    for (const name of revisionNames(vm)) {
      const revision = await this.#client.get(controllerRevisions, { namespace: KEY.namespace, name })
      const spec = (revision.data as { spec?: unknown } | undefined)?.spec
      lines.push(name, `  ${JSON.stringify(spec)}`)
    }
    return lines
  }

  async showBoot(): Promise<string[]> {
    const { vmi, report } = await this.#readGuest(() => true)
    this.#before = report
    return [
      `VMI is ${vmi.status?.phase ?? 'unknown'} on ${vmi.status?.nodeName ?? 'no node'}, machine type ${vmi.status?.machine?.type ?? 'unknown'}`,
      report.line,
    ]
  }

  async editAndRestart(): Promise<string[]> {
    const old = await this.#client.get(virtualMachineInstances, KEY)
    const edited = await this.#client.patch(virtualMachineInstancetypes, TYPE_KEY, { type: 'merge', body: { spec: EDITED } })
    await this.#client.delete(virtualMachineInstances, KEY)
    const { report } = await this.#readGuest((vmi) => vmi.metadata?.uid !== old.metadata?.uid)
    this.#after = report
    return [
      `instance type "small" now says ${EDITED.cpu.guest} CPUs and ${EDITED.memory.guest} (generation ${edited.metadata?.generation ?? 0})`,
      'the VM was powered off and started again; its new guest says:',
      report.line,
    ]
  }

  /**
   * Compares the guest before and after the edit. @throws CommandError when its hardware changed
   */
  verdict(): string {
    const paint = paintFor(this.#context, 'stdout')
    const rows = [
      ['', 'CPUs', 'MEMORY'],
      ['guest before the edit', this.#before?.cpus ?? '?', this.#before?.memory ?? '?'],
      ['instance type after the edit', String(EDITED.cpu.guest), EDITED.memory.guest],
      ['guest after the restart', this.#after?.cpus ?? '?', this.#after?.memory ?? '?'],
    ]
    const same = this.#before !== undefined && this.#before.cpus === this.#after?.cpus && this.#before.memory === this.#after.memory
    if (!same) throw new CommandError(`The guest changed with its instance type:\n${table(rows)}`)
    return `${table(rows)}${paint('green', 'The guest is the same: it runs from its captured revision, not from the edited type.')}`
  }

  /** Waits for a running VMI that `accept` selects, and runs `report` in its guest. */
  async #readGuest(accept: (vmi: VirtualMachineInstance) => boolean): Promise<{ vmi: VirtualMachineInstance; report: GuestReport }> {
    const vmi = await waitFor(this.#context, this.#client, virtualMachineInstances, KEY, {
      holds: (object) => object.status?.phase === 'Running' && !isBeingDeleted(object) && accept(object),
      describe: (object) => `VMI "demo" is in phase ${object?.status?.phase ?? 'none'}: see "kubectl describe vmi demo"`,
      timeoutMs: this.#timeoutMs,
    })
    const guest = await findRunningGuest(findGuests(this.#directory.root), KEY.namespace, KEY.name)
    if (guest?.serialSocket === undefined)
      throw new CommandError('VMI "demo" is Running, but no QEMU process with a serial console was found')
    const { output } = await runInGuest(guest.serialSocket, { command: 'report', id: 'walk', timeoutMs: this.#timeoutMs })
    return { vmi, report: parseGuestReport(output, await firstLine(guest)) }
  }
}

function revisionNames(vm: VirtualMachine): string[] {
  return [vm.status?.instancetypeRef, vm.status?.preferenceRef].flatMap((reference) => {
    const name = reference?.controllerRevisionRef?.name
    return name === undefined ? [] : [name]
  })
}

/** Returns the line that the guest prints when it has booted. */
async function firstLine(guest: RunningGuest): Promise<string> {
  const log = guest.serialLog === undefined ? '' : await readFile(guest.serialLog, 'utf8')
  return log.split(/\r?\n/).find((line) => line.startsWith('steadyvm-guest: ready')) ?? ''
}

function parseGuestReport(answer: string, booted: string): GuestReport {
  const value = (name: string): string => new RegExp(`\\b${name}=(\\S+)`).exec(answer)?.[1] ?? 'unknown'
  return { cpus: value('cpus'), memory: value('memory'), line: booted === '' ? answer.trim() : booted }
}
