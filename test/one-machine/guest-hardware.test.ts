import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { buildFullGuest, fullGuestImage, noFullKernel, parseReport, type Finding } from '../support/guests/guest-report.ts'
import { effort } from '../support/effort.ts'
import { findOnPath, noKubectl } from '../support/kubectl.ts'
import { eventually, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { demoKernelArguments } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'
import { hardwareCases, refusedCases, type HardwareCase } from './guest-hardware.cases.ts'

const skip = noKubectl || noFullKernel
const noTpm = findOnPath('swtpm') === undefined && 'no swtpm on PATH: run "node tools/setup.mjs --test"'

/**
 * The default tier boots one case, because firmware takes 40 s under emulation; unit tests of the
 * engine and golden command lines cover all of them in every run.
 */
const cases = hardwareCases.filter(({ name }) => effort === 'long' || name === 'scsi-e1000e')

suite('a guest finds the hardware that its type and preference name', { skip }, () => {
  const created = new Set<string>()
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
    await buildFullGuest(machine)
  })
  after(() => machine[Symbol.asyncDispose]())

  for (const [index, hardware] of cases.entries()) {
    test(hardware.name, { skip: hardware.name === 'secure-boot-tpm' && noTpm }, async () => {
      // The next guest boots while this one is asked: a processor each.
      for (const each of cases.slice(index, index + 2)) {
        if (!created.has(each.name)) await create(machine, each)
        created.add(each.name)
      }
      const findings = await ask(machine, hardware)
      for (const [subject, facts] of hardware.finds) {
        const lines = findings.filter((finding) => finding.subject === subject)
        assert.ok(lines.some(says(facts)), `${subject} should have ${JSON.stringify(facts)}, and is ${JSON.stringify(lines)}`)
      }
      for (const [subject, facts] of hardware.lacks ?? []) {
        assert.ok(!findings.some((finding) => finding.subject === subject && says(facts)(finding)), `${subject} ${JSON.stringify(facts)}`)
      }
      if (hardware.name === 'uefi' || hardware.name === 'sata-e1000') await checkClock(machine, hardware, findings)
      if (hardware.name === 'made-for-windows') await checkLeftOut(machine, hardware)
      await machine.kubectl(['delete', 'vm', hardware.name, '--wait=false'])
    })
  }

  // Two more boots with firmware take 100 s under emulation.
  if (effort === 'long')
    test('UEFI and TPM state is kept over restarts, and deleted with the VM', { skip: noTpm }, async () => {
      const name = 'remembers'
      const preference = {
        firmware: { preferredEfi: { secureBoot: false, persistent: true } },
        devices: { preferredTPM: { persistent: true }, preferredDiskBus: 'virtio' },
      }
      await create(machine, { name, type: { cpu: { guest: 1 }, memory: { guest: '256Mi' } }, preference, finds: [] })
      const variable = '/sys/firmware/efi/efivars/Note-6f3b0c1e-9a5d-4e72-b8c4-3d1f27a9e650'
      await tell(
        machine,
        name,
        `[ -e ${variable} ] || printf '\\007\\000\\000\\000kept' > ${variable}; cat /sys/class/tpm/tpm0/tpm_version_major`,
        /^2/m,
      )
      const first = textAt((await vmiOf(machine, name)) ?? {}, 'metadata.uid')
      await machine.kubectl(['delete', 'vmi', name])
      await eventually(
        async () => !['', first].includes(textAt((await vmiOf(machine, name)) ?? {}, 'metadata.uid')),
        () => 'the VM did not start again',
      )
      await tell(machine, name, `tail -c 4 ${variable}; echo; cat /sys/class/tpm/tpm0/tpm_version_major`, /kept[^]*^2/m)
      const claim = await machine.getJson('pvc', `persistent-state-for-${name}`)
      assert.equal(textAt(claim, 'status.phase'), 'Bound')
      await machine.kubectl(['delete', 'vm', name])
      await eventually(
        async () => (await machine.kubectl(['get', 'pvc', '-o', 'name'])) === '',
        () => machine.kubectl(['get', 'pvc,vmi,pods']),
      )
    })

  for (const [name, type, preference, message] of refusedCases) {
    test(`the VM reports hardware that the node cannot provide: ${name}`, async () => {
      await create(machine, { name, type: { cpu: { guest: 1 }, memory: { guest: '128Mi' }, ...type }, preference, finds: [] })
      await eventually(
        async () => message.test(conditionOf(await vmiOf(machine, name), 'Synchronized')),
        async () => JSON.stringify((await vmiOf(machine, name))?.['status'] ?? 'no VMI'),
      )
      await machine.kubectl(['delete', 'vm', name, '--wait=false'])
    })
  }

  test('a VM with hardware that no node can provide is refused', async () => {
    const type = { cpu: { guest: 1 }, memory: { guest: '128Mi' }, gpus: [{ name: 'g', deviceName: 'x.com/gpu' }] }
    await assert.rejects(create(machine, { name: 'gpu', type, finds: [] }), /domain\.devices\.gpus: no node offers GPUs/)
  })
})

function says(facts: Readonly<Record<string, string>>): (finding: Finding) => boolean {
  return (finding) => Object.entries(facts).every(([name, value]) => finding.facts[name] === value)
}

async function create(machine: TestMachine, { name, type, preference = {}, domain = {} }: HardwareCase): Promise<void> {
  const apiVersion = 'instancetype.kubevirt.io/v1beta1'
  const vm = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name },
    spec: {
      runStrategy: 'Always',
      instancetype: { name },
      preference: { kind: 'VirtualMachinePreference', name },
      template: {
        spec: {
          terminationGracePeriodSeconds: 5,
          domain: {
            ...domain,
            firmware: {
              ...domain.firmware,
              kernelBoot: {
                container: { image: fullGuestImage, kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd' },
                kernelArgs: demoKernelArguments,
              },
            },
            devices: { ...domain.devices, disks: [{ name: 'data', serial: 'DATA' }] },
          },
          volumes: [{ name: 'data', emptyDisk: { capacity: '64Mi' } }],
        },
      },
    },
  }
  const objects = [
    { apiVersion, kind: 'VirtualMachineClusterInstancetype', metadata: { name }, spec: type },
    { apiVersion, kind: 'VirtualMachinePreference', metadata: { name }, spec: preference },
    vm,
  ]
  await machine.kubectl(['create', '-f', '-'], objects.map((object) => JSON.stringify(object)).join('\n---\n'))
}

/** Runs a command in the guest until the answer matches. */
async function tell(machine: TestMachine, name: string, command: string, answer: RegExp): Promise<void> {
  let last = ''
  await eventually(
    async () => {
      last = await machine.inGuest(command, name).catch(String)
      return answer.test(last)
    },
    async () => `${name}: ${last}\n${JSON.stringify((await vmiOf(machine, name))?.['status'])}`,
    180_000,
  )
}

/** Repeats the report until it is complete: disks on slow buses appear after the shell. */
async function ask(machine: TestMachine, { name, finds }: HardwareCase): Promise<Finding[]> {
  let findings: Finding[] = []
  let last = ''
  await eventually(
    async () => {
      last = await machine.inGuest('report all', name).catch(String)
      findings = parseReport(last)
      const isThere = (subject: string): boolean => findings.some((finding) => finding.subject === subject)
      return last.includes('\nend') && finds.every(([subject]) => isThere(subject))
    },
    async () => `${name}: ${last}\n${JSON.stringify((await vmiOf(machine, name))?.['status'])}`,
    180_000,
  )
  return findings
}

/** Asserts that the guest's clock shows the time of a zone, or of ten days ago. */
async function checkClock(machine: TestMachine, { name }: HardwareCase, findings: readonly Finding[]): Promise<void> {
  const { date, time } = findings.find(({ subject }) => subject === 'clock')?.facts ?? {}
  const shown = `${date}T${time}`
  const seconds = name === 'uefi' ? 20_700 : -864_000
  const differsBy = Date.parse(`${shown}Z`) - Date.now() - seconds * 1000
  // Minutes of a slow machine are far from an hour, and zones from each other by a quarter.
  assert.ok(Math.abs(differsBy) < 400_000, `the clock shows ${shown}`)
  assert.ok(await vmiOf(machine, name))
}

async function checkLeftOut(machine: TestMachine, { name }: HardwareCase): Promise<void> {
  const told = conditionOf(await vmiOf(machine, name), 'steadyvm.io/HardwareComplete')
  for (const field of ['features.hyperv.relaxed', 'features.hyperv.vapic', 'clock.timer.hyperv']) assert.ok(told.includes(field), told)
}

async function vmiOf(machine: TestMachine, name: string): Promise<KubeJson | undefined> {
  const { code, stdout } = await machine.tryKubectl(['get', 'vmi', name, '-o', 'json'])
  return code === 0 ? (JSON.parse(stdout) as KubeJson) : undefined
}

/** Returns the message of a condition. */
function conditionOf(vmi: KubeJson | undefined, type: string): string {
  const conditions = (vmi?.['status']?.['conditions'] ?? []) as unknown as readonly { type: string; message?: string }[]
  return conditions.find((condition) => condition.type === type)?.message ?? ''
}
