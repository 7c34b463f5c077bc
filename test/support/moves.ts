import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { virtualMachineInstanceMigrations as migrations } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'

const namespace = 'default'

/** Asks for a guest to be moved; the name of the object. */
export async function askToMove(client: Client, vmiName: string): Promise<string> {
  const { metadata } = await client.create<VirtualMachineInstanceMigration>(migrations, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { namespace, generateName: `${vmiName}-` },
    spec: { vmiName },
  })
  return metadata.name ?? ''
}

/** Waits for the end of a migration; undefined when its object has gone. */
export async function endOfMove(
  client: Client,
  name: string,
  timeoutMs: number = 400_000,
): Promise<VirtualMachineInstanceMigration | undefined> {
  const deadline = Date.now() + timeoutMs
  let phase = ''
  while (Date.now() < deadline) {
    // Whoever kills the API server has to bear that it does not answer.
    const found = await client.get(migrations, { namespace, name }).catch((error: unknown) => (isNotFound(error) ? 'gone' : undefined))
    if (found === 'gone') return undefined
    phase = found?.status?.phase ?? phase
    if (found !== undefined && (phase === 'Succeeded' || phase === 'Failed')) return found
    await sleep(50)
  }
  assert.fail(`${name} is still ${phase}`)
}
