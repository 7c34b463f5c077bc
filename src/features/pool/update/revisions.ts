import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachinePools } from '#api/pool/v1beta1/resources.ts'
import type { VirtualMachinePool } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'
import type { Observed } from '../decide.ts'
import { revisionName } from '../names.ts'

type Ports = { readonly client: Pick<Client, 'get' | 'create' | 'delete'> }

/** The name of the revision is taken by another object. Try again later. */
class RevisionTaken extends Error {
  override readonly name = 'RevisionTaken'
}

/**
 * Stores the current spec of the pool, unless that has been done. Resolves to its name. @throws
 * RevisionTaken
 */
export async function ensureRevision({ client }: Ports, { pool, revisions }: Observed, signal: AbortSignal): Promise<string> {
  const name = revisionName(pool)
  if (revisions.has(name)) return name
  const { namespace = '', generation = 0 } = pool.metadata
  const revision = {
    metadata: { name, namespace, ownerReferences: [controllerReference(virtualMachinePools, pool)] },
    data: { ...pool.spec },
    revision: generation,
  }
  try {
    await client.create(controllerRevisions, revision, { signal })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const other = await client.get(controllerRevisions, { namespace, name }, { signal })
    if (isControlledBy(other, pool)) return name
    // Of an earlier pool of this name: it is deleted with that pool.
    throw new RevisionTaken(`ControllerRevision "${name}" belongs to another object, which has to be deleted first`, { cause: error })
  }
  return name
}

/** Deletes a revision that nothing was made from. */
export async function pruneRevision({ client }: Ports, pool: VirtualMachinePool, name: string, signal: AbortSignal): Promise<void> {
  const { namespace = '' } = pool.metadata
  await found(client.delete(controllerRevisions, { namespace, name }, { signal }))
}
