import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import * as clean from '#features/upgrade-check/clean-cluster.fixture.ts'
import { revisionFor } from '#features/revision-report/inventory.fixture.ts'
import { isOf, kubevirt, merge, migrations, status, type BadCluster } from './bad-cluster.ts'

const gates = (featureGates: string[], disabledFeatureGates: string[] = []) =>
  kubevirt({ configuration: { developerConfiguration: { featureGates, disabledFeatureGates } } })
const { SharedRevisions: _, ...otherGates } = clean.release(clean.from).featureGates ?? {}

function withoutAlpha(definitions: CustomResourceDefinition[]): CustomResourceDefinition[] {
  return definitions.map((definition) => {
    if (!isOf(migrations)(definition)) return definition
    return { ...definition, spec: { ...definition.spec, versions: definition.spec.versions.filter(({ name }) => name !== 'v1alpha3') } }
  })
}

/** Invalid stored objects: settings, definitions, copies. */
export const badSettings: readonly BadCluster[] = [
  {
    id: 'KubeVirtNotUnique',
    name: 'two KubeVirt objects',
    seed: (lab) => lab.unasked(() => lab.create(kubeVirts, { ...clean.kubevirt(), metadata: { name: 'other', namespace: 'default' } })),
  },
  {
    id: 'FeatureGateTurnsOff',
    name: 'a feature that is in use and goes',
    to: 'v0.2.1',
    seed: async (lab) => {
      lab.release('v0.2.1', { facts: { featureGates: otherGates } })
      await gates(['SharedRevisions'])(lab)
    },
  },
  {
    id: 'FeatureGateTurnsOn',
    name: 'a feature that will be there unasked',
    to: 'v0.2.2',
    seed: async (lab) => lab.release('v0.2.2', { facts: { featureGates: { ...otherGates, SharedRevisions: { default: true } } } }),
    restore: gates([]),
  },
  {
    id: 'FeatureGateTurnsOn',
    name: 'a feature that is switched off and is there to stay',
    to: 'v0.2.3',
    seed: async (lab) => {
      lab.release('v0.2.3', { facts: { featureGates: { ...otherGates, SharedRevisions: { default: true, locked: true } } } })
      await gates([], ['SharedRevisions'])(lab)
    },
    restore: gates([]),
  },
  {
    id: 'SettingNotUnderstood',
    name: 'a setting that was written when nobody looked',
    seed: (lab) => lab.unasked(() => kubevirt({ configuration: { evictionStrategy: 'Sometimes' } })(lab)),
  },
  {
    id: 'PatchDoesNotApply',
    name: 'a patch of something that is not there any more',
    seed: (lab) =>
      lab.unasked(() =>
        kubevirt({
          customizeComponents: {
            patches: [
              { resourceType: 'Deployment', resourceName: 'virt-api', type: 'json', patch: '[{"op":"remove","path":"/spec/nothing"}]' },
            ],
          },
        })(lab),
      ),
  },
  {
    id: 'PatchHasNoTarget',
    name: 'a patch of a component that there is not',
    seed: kubevirt({
      customizeComponents: {
        patches: [{ resourceType: 'Deployment', resourceName: 'virt-exportproxy', type: 'merge', patch: '{"spec":{"replicas":2}}' }],
      },
    }),
  },
  {
    id: 'StoredVersionVanishes',
    name: 'objects that may be stored in a version that goes',
    to: 'v0.2.4',
    seed: async (lab) => {
      lab.release('v0.2.4', { definitions: withoutAlpha })
      await status(lab, customResourceDefinitions, { name: migrations }, { storedVersions: ['v1', 'v1alpha3'] })
    },
  },
  {
    id: 'StoredVersionVanishes',
    name: 'objects that are still stored in a version that goes',
    to: 'v0.2.4',
    seed: async (lab) => {
      const { spec } = await lab.client.get(customResourceDefinitions, { name: migrations })
      const versions = spec.versions.map((version) => ({ ...version, storage: version.name === 'v1alpha3' }))
      await merge(lab, customResourceDefinitions, { name: migrations }, { spec: { versions } })
    },
  },
  {
    id: 'RevisionInOldVersion',
    name: 'a copy of an instance type in a version that goes, which nobody needs',
    to: 'v0.2.5',
    seed: async (lab) => {
      lab.release('v0.2.5', { facts: { revisionVersions: ['v1beta1', 'v1'] } })
      const { ownerReferences: _owners, ...metadata } = revisionFor(
        { metadata: { name: 'gone', namespace: 'default' } },
        'instancetype',
        'v1alpha2',
      ).metadata
      const revision = revisionFor({ metadata: { name: 'gone', namespace: 'default' } }, 'instancetype', 'v1alpha2')
      await lab.create(controllerRevisions, { ...revision, metadata: { ...metadata, namespace: 'default' } })
    },
  },
]
