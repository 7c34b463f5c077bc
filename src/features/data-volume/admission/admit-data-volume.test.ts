import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { SubjectAccessReview } from '#api/authorization/v1/subject-access-review.ts'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { notFound } from '#apimachinery/errors.ts'
import { admitDataVolume } from './admit-data-volume.ts'

const storage = { resources: { requests: { storage: '1Gi' } } }
const golden = { namespace: 'golden', name: 'base' }
const latest = { kind: 'DataSource', name: 'latest' }

/** Judges a DataVolume of the namespace `own`, whose author may do these things. */
async function judge(spec: DataVolumeSpec, rights: readonly string[], isComponent: boolean = false): Promise<readonly string[]> {
  const client = {
    get: () => Promise.reject(notFound(persistentVolumeClaims, 'disk')),
    create: (_resource: unknown, review: SubjectAccessReview) => {
      const { namespace, verb, resource, subresource } = review.spec.resourceAttributes ?? {}
      const right = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`} in ${namespace}`
      return Promise.resolve({ ...review, status: { allowed: rights.includes(right) } })
    },
  }
  const dataVolume: DataVolume = { metadata: { name: 'disk', namespace: 'own' }, spec }
  const request: AdmissionRequest = {
    uid: '1',
    kind: { group: 'cdi.kubevirt.io', version: 'v1beta1', kind: 'DataVolume' },
    resource: { group: 'cdi.kubevirt.io', version: 'v1beta1', resource: 'datavolumes' },
    operation: 'CREATE',
    namespace: 'own',
    userInfo: { username: 'ann', groups: [] },
  }
  const { causes } = await admitDataVolume({ client: client as never, isComponent }, dataVolume, request)
  return causes.map(({ field, message }) => `${field}: ${message}`)
}

suite('Copies from another namespace', () => {
  const allowed: readonly (readonly [string, DataVolumeSpec, readonly string[], boolean?])[] = [
    ['a user who may create datavolumes/source there', { source: { pvc: golden }, storage }, ['create datavolumes/source in golden']],
    ['a user who may create pods there, which read the volume anyway', { source: { pvc: golden }, storage }, ['create pods in golden']],
    ['everyone in the own namespace', { source: { pvc: { ...golden, namespace: 'own' } }, storage }, []],
    ['everyone with a DataSource of the own namespace', { sourceRef: latest, storage }, []],
    ['virt-controller, which has asked for the service account of the VM', { source: { pvc: golden }, storage }, [], true],
  ]
  for (const [who, spec, rights, isComponent] of allowed)
    test(`are for ${who}`, async () => assert.deepEqual(await judge(spec, rights, isComponent), []))

  const refused: readonly (readonly [string, DataVolumeSpec, readonly string[]])[] = [
    ['users without rights', { source: { pvc: golden }, storage }, []],
    ['users with rights elsewhere', { source: { pvc: golden }, storage }, ['create pods in own', 'create datavolumes/source in own']],
    ['a DataSource there, wherever it leads', { sourceRef: { ...latest, namespace: 'golden' }, storage }, []],
  ]
  for (const [who, spec, rights] of refused)
    test(`are not for ${who}`, async () =>
      assert.match((await judge(spec, rights)).join(), /User ann has insufficient permissions in clone source namespace golden/))
})
