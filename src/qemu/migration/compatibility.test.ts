import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { buildArguments } from '../domain/arguments.ts'
import type { Domain } from '../domain/domain.ts'
import { cpuFeaturesOf } from '../fingerprint/cpu-facts.ts'
import { rehearseFingerprint } from '../fingerprint/rehearse.ts'
import { newerQemu, systemQemu, ticking } from '../guest.fixture.ts'
import { queryCapabilities, type QemuCapabilities } from '../host/capabilities.ts'
import { findQemu, findQemuIn } from '../host/find-qemu.ts'
import { compatibility } from './compatibility.ts'

const capabilities: QemuCapabilities = {
  version: '7.2.22',
  machineAliases: {},
  machineTypes: ['pc-q35-7.2'],
  deprecatedMachineTypes: [],
  cpuModels: ['qemu64'],
  cpuFeatures: ['aes', 'cx16'],
  deviceModels: ['virtio-blk-pci', 'isa-serial'],
}
const argumentsOf = (change: Partial<Domain> = {}): string[] => buildArguments(ticking('/x', change))
const machine = { type: 'pc-q35-7.2', accelerator: 'tcg', acpi: true, smm: false, virtioTransitional: false } as const
const cpu = { model: 'qemu64', flags: [], sockets: 1, cores: 1, threads: 1 }

suite('compatibility()', () => {
  const rows: readonly (readonly [string, Partial<Domain>, string, readonly string[]])[] = [
    ['finds nothing against a QEMU that has it all', {}, '7.2.1', []],
    ['treats a stable update as the same release', {}, '7.2.99', []],
    ['finds an older QEMU', {}, '8.0.0', ['version']],
    ['finds a machine that is not known', { machine: { ...machine, type: 'pc-q35-9.9' } }, '7.2.22', ['machine']],
    ['finds KVM', { machine: { ...machine, accelerator: 'kvm' } }, '7.2.22', ['accelerator']],
    ['finds a CPU model', { cpu: { ...cpu, model: 'EPYC' } }, '7.2.22', ['cpuModel']],
    ['checks each requested CPU feature', { cpu: { ...cpu, flags: ['aes=on', 'avx2=on', 'svm=off'] } }, '7.2.22', ['cpuFeature']],
    ['does not guess about a CPU that is another on every host', { cpu: { ...cpu, model: 'max' } }, '7.2.22', ['cpuModel']],
    ['finds a device', { rng: true }, '7.2.22', ['device']],
  ]
  for (const [name, change, version, expected] of rows) {
    test(name, () => {
      const found = compatibility({ arguments: argumentsOf(change), version }, { accelerator: 'tcg', capabilities })
      assert.deepEqual(
        found.map(({ kind }) => kind),
        expected,
      )
    })
  }

  test('compares the features of CPU models that depend on the QEMU release', { skip: newerQemu.skip }, async () => {
    const args = argumentsOf({ cpu: { ...cpu, model: 'max' } })
    const { facts } = await rehearseFingerprint(systemQemu, args)
    const source = { arguments: args, version: '7.2.0', cpuFeatures: cpuFeaturesOf(facts) }
    const to = async (binary: string): Promise<string[]> => {
      const target = { accelerator: 'tcg', capabilities: await queryCapabilities(binary, 'tcg') } as const
      return compatibility(source, target).map(({ text }) => text)
    }
    assert.deepEqual(await to(await findQemu(process.env['PATH'])), [])
    assert.match((await to(await findQemuIn(newerQemu.folder))).join('\n'), /max of the target has CPU feature/)
  })
})
