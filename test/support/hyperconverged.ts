import assert from 'node:assert/strict'
import type { TestMachine } from './machine.ts'

/** Prints manifests by `steadyvm install`, and applies them. */
export async function installPart(machine: TestMachine, part: string): Promise<void> {
  const { code, stdout, stderr } = await machine.steadyvm('install', '--part', part)
  assert.equal(code, 0, stderr)
  await machine.kubectl(['apply', '--server-side', '-f', '-'], stdout)
}

/** Installs the operator of HyperConverged with the default object, and waits for the platform. */
export async function installHyperConverged(machine: TestMachine): Promise<void> {
  await installPart(machine, 'hyperconverged-operator')
  await machine.kubectl(['wait', 'crd/hyperconvergeds.hco.kubevirt.io', '--for=condition=Established', '--timeout=30s'])
  await installPart(machine, 'hyperconverged-object')
  await machine.kubectl(['wait', '-n', 'kubevirt', 'hco/kubevirt-hyperconverged', '--for=condition=Available', '--timeout=180s'])
}
