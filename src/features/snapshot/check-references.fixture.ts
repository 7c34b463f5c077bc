import assert from 'node:assert/strict'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { TransportError, type Client } from '#client/client.ts'
import { decodeRevision, type Family, referencesOf } from '#features/instancetype/index.ts'

/** Expected content of a referenced revision. */
export type Expected = (reference: { readonly family: Family; readonly kind: string; readonly name: string }) => unknown

/**
 * Asserts that every referenced revision exists, can be decoded, and has the expected content.
 * Returns the number of references.
 */
export async function assertReferencesHold(client: Pick<Client, 'list'>, namespace: string, expected: Expected): Promise<number> {
  let count = 0
  const { items: revisions } = await client.list(controllerRevisions, { namespace })
  const byName = new Map(revisions.map((revision) => [revision.metadata.name ?? '', revision]))
  const referring: KubeObject[] = [
    ...(await client.list(virtualMachines, { namespace })).items,
    ...(await client.list(virtualMachineSnapshotContents, { namespace })).items,
    ...revisions,
  ]
  for (const object of referring) {
    for (const { family, revision: name, referrer, path } of referencesOf(object)) {
      count += 1
      const revision = byName.get(name)
      assert.ok(revision !== undefined, `${referrer.kind} ${referrer.name} names ${name} at ${path}, which is not there`)
      const { spec } = decodeRevision(revision, family).object
      assert.deepEqual(spec, expected({ family, kind: referrer.kind, name: referrer.name }), `${referrer.kind} ${referrer.name}: ${name}`)
    }
  }
  return count
}

/**
 * A client that runs a check after every write. A failure is kept, since a controller would only
 * retry.
 */
export function checkedClient(client: Client, check: () => Promise<unknown>, findings: unknown[]): Client {
  const after = async <T>(write: Promise<T>): Promise<T> => {
    const result = await write
    await check().catch((finding: unknown) => findings.push(finding))
    // No request continues from an invalid state.
    if (findings.length > 0) throw new TransportError('a check has failed')
    return result
  }
  return {
    ...client,
    create: (resource, object, options) => after(client.create<never, never>(resource as never, object as never, options)),
    update: (resource, object, options) => after(client.update(resource, object, options)),
    patch: (resource, key, patch, options) => after(client.patch(resource, key, patch, options)),
    delete: (resource, key, options) => after(client.delete(resource, key, options)),
  }
}
