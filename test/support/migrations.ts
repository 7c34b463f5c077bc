import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { virtualMachineInstanceMigrations as migrations } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'

const namespace = 'default'

/** Creates a migration of a guest, and returns its name. */
export async function createMigration(client: Client, vmiName: string): Promise<string> {
  const { metadata } = await client.create<VirtualMachineInstanceMigration>(migrations, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { namespace, generateName: `${vmiName}-` },
    spec: { vmiName },
  })
  return metadata.name ?? ''
}

/** Waits for the end of a migration; returns undefined when it was deleted. */
export async function awaitMigrationEnd(
  client: Client,
  name: string,
  timeoutMs: number = 400_000,
): Promise<VirtualMachineInstanceMigration | undefined> {
  const signal = AbortSignal.timeout(timeoutMs)
  let phase = ''
  while (!signal.aborted) {
    // The killed process may be the API server.
    const found = await client
      .get(migrations, { namespace, name }, { signal })
      .catch((error: unknown) => (isNotFound(error) ? 'gone' : undefined))
    if (found === 'gone') return undefined
    phase = found?.status?.phase ?? phase
    if (found !== undefined && isOver(found)) return found
    if (found === undefined) await sleep(50)
    else await nextEnd(client, found, signal)
  }
  assert.fail(`${name} is still ${phase}`)
}

/** Resolves when the migration may have ended, and at the latest when the watch ends. */
async function nextEnd(client: Client, { metadata }: VirtualMachineInstanceMigration, signal: AbortSignal): Promise<void> {
  const { name = '', resourceVersion = '' } = metadata
  try {
    for await (const { type, object } of client.watch(migrations, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      resourceVersion,
      signal,
    })) {
      if (type === 'DELETED' || isOver(object)) return
    }
  } catch {
    // Too late, or the API server has gone: asking again tells.
    await sleep(50)
  }
}

function isOver({ status }: VirtualMachineInstanceMigration): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}
