import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { decideUninstallation, type UninstallStep } from './decide.ts'
import { explain } from './explain.ts'
import type { InstalledObject } from './installed-objects.ts'
import type { ControllerName, Platform, PlatformObject } from './platform.ts'
import type { Protection } from './protection.ts'

const namespace = 'kubevirt'
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' }
const hco = (more: object = {}, name = 'kubevirt-hyperconverged'): never =>
  ({ metadata: { namespace, name, finalizers: ['kubevirt.io/hyperconverged'], ...more } }) as never
const resourceOf = (kind: string): ResourceType<KubeObject> =>
  ({ ...kubeVirts, kind, plural: `${kind.toLowerCase()}s` }) as ResourceType<KubeObject>
const kubevirt = (strategy = 'BlockUninstallIfWorkloadsExist', more: object = {}): PlatformObject => ({
  title: 'KubeVirt/kubevirt',
  resource: resourceOf('KubeVirt'),
  stage: 0,
  object: {
    metadata: { namespace, name: 'kubevirt', finalizers: ['kubevirt.io/foregroundDeleteKubeVirt'], ...more },
    spec: { uninstallStrategy: strategy },
  } as KubeObject,
})
const all: readonly ControllerName[] = ['hyperconverged-operator', 'virt-operator', 'cdi-operator']
const platformOf = (more: Partial<Omit<Platform, 'running'>> & { running?: readonly ControllerName[] } = {}): Platform => ({
  hyperconverged: hco(),
  converted: undefined,
  otherHyperConvergeds: [],
  components: [kubevirt()],
  otherKubeVirts: [],
  isMachine: false,
  isNamespaceEnding: false,
  ...more,
  running: new Set(more.running ?? all),
})
const protectionOf = (more: Partial<Protection> = {}): Protection => ({
  refusals: new Map(),
  guests: { instances: 0, machines: 0 },
  deadWebhooks: [],
  hasNamespacePolicy: false,
  serviceVersions: [],
  ...more,
})
const refusing = (title: string, deletion?: string, update?: string): Pick<Protection, 'refusals'> => ({
  refusals: new Map([[title, { deletion, update }]]),
})
const someGuests = { guests: { instances: 1, machines: 2 } }
const ownWebhook = {
  name: 'delete-hyperconverged.hco.kubevirt.io',
  configuration: 'validatingwebhookconfiguration/hyperconverged-operator-validator',
  service: 'kubevirt/hyperconverged-operator',
}
const otherWebhook = { name: 'w.example.com', configuration: 'validatingwebhookconfiguration/mine', service: 'mine/w' }
const failing = ({ name }: { name: string }): string => `failed calling webhook "${name}": failed to call webhook: no endpoints`

const converted = { metadata: { name: 'hyperconvergeds.hco.kubevirt.io' } } as never

suite('explain()', () => {
  const rows: readonly (readonly [string, Platform, Protection, readonly string[]])[] = [
    ['nothing', platformOf(), protectionOf(), []],
    [
      'guests that KubeVirt protects',
      platformOf(),
      protectionOf({ ...someGuests, ...refusing('KubeVirt/kubevirt', 'there are still guests') }),
      ['blocks Workloads KubeVirt/kubevirt: 2 VirtualMachines and 1 VirtualMachineInstances exist, and its uninstallStrategy is Block'],
    ],
    [
      'guests that go with it',
      platformOf({ components: [kubevirt('RemoveWorkloads')] }),
      protectionOf(someGuests),
      ['note Workloads KubeVirt/kubevirt: 2 VirtualMachines and 1 VirtualMachineInstances exist, and are deleted with it'],
    ],
    [
      'guests that are protected, while the webhook does not answer',
      platformOf(),
      protectionOf({ ...someGuests, ...refusing('KubeVirt/kubevirt', failing(otherWebhook)), deadWebhooks: [otherWebhook] }),
      [
        'blocks Workloads KubeVirt/kubevirt: 2 VirtualMachines',
        'blocks Webhook KubeVirt/kubevirt: webhook w.example.com of validatingwebhookconfiguration/mine must answer first, and its Service mine/w',
      ],
    ],
    [
      'a webhook of others that does not answer, at the update that removes the finalizer',
      platformOf(),
      protectionOf({ ...refusing('HyperConverged', undefined, failing(otherWebhook)), deadWebhooks: [otherWebhook] }),
      ['blocks Webhook HyperConverged/kubevirt-hyperconverged: webhook w.example.com'],
    ],
    ['dead webhooks that matter to other objects only', platformOf(), protectionOf({ deadWebhooks: [otherWebhook] }), []],
    [
      'the operator is gone, and its webhooks are left behind',
      platformOf({ running: ['virt-operator', 'cdi-operator'] }),
      protectionOf({ ...refusing('HyperConverged', failing(ownWebhook), failing(ownWebhook)), deadWebhooks: [ownWebhook] }),
      [
        'handled Webhook validatingwebhookconfiguration/hyperconverged-operator-validator: it refuses writes of HyperConverged',
        'handled Finalizer HyperConverged/kubevirt-hyperconverged: its finalizer kubevirt.io/hyperconverged waits for hyperconverged-operator',
      ],
    ],
    [
      'the same with the conversion of versions',
      platformOf({ running: ['virt-operator'], converted }),
      protectionOf(
        refusing('HyperConverged', undefined, 'conversion webhook for hco.kubevirt.io/v1, Kind=HyperConverged failed: no endpoints'),
      ),
      [
        'handled Webhook customresourcedefinition/hyperconvergeds.hco.kubevirt.io: writes may need the conversion',
        'handled Finalizer HyperConverged/kubevirt-hyperconverged: its finalizer kubevirt.io/hyperconverged waits for',
      ],
    ],
    [
      'virt-operator is gone',
      platformOf({ running: ['hyperconverged-operator'] }),
      protectionOf(),
      [
        'blocks Finalizer KubeVirt/kubevirt: its finalizer kubevirt.io/foregroundDeleteKubeVirt waits for virt-operator, which does not run',
      ],
    ],
    [
      'the same in a namespace that is being deleted',
      platformOf({ running: [], hyperconverged: undefined, isNamespaceEnding: true }),
      protectionOf(),
      [
        'blocks Finalizer KubeVirt/kubevirt: its finalizer kubevirt.io/foregroundDeleteKubeVirt waits for virt-operator, which does not run, and cannot',
        'note Namespace Namespace/kubevirt: it is being deleted',
      ],
    ],
    [
      'a refusal of a component is told once, and not again as that of HyperConverged',
      platformOf(),
      protectionOf({
        refusals: new Map([
          ['HyperConverged', { deletion: 'kubevirt refuses the deletion of its KubeVirt "kubevirt": no', update: undefined }],
          ['KubeVirt/kubevirt', { deletion: 'no', update: undefined }],
        ]),
      }),
      ['blocks Admission KubeVirt/kubevirt: no'],
    ],
    [
      'a policy of others',
      platformOf(),
      protectionOf(refusing('HyperConverged', 'not on Fridays')),
      ['blocks Admission HyperConverged/kubevirt-hyperconverged: not on Fridays'],
    ],
    [
      'a finalizer of others',
      platformOf({ hyperconverged: undefined, components: [kubevirt('', { finalizers: ['mine.example.com/x', 'foregroundDeletion'] })] }),
      protectionOf(),
      ['note Finalizer KubeVirt/kubevirt: its finalizer mine.example.com/x is of a controller that is not known here'],
    ],
    [
      'other objects',
      platformOf({ otherHyperConvergeds: [hco({ namespace: 'a' }, 'x')], otherKubeVirts: [hco({ namespace: 'b' }, 'y')] }),
      protectionOf(),
      ['blocks OtherObject HyperConverged/x: it is in the namespace "a"', 'note OtherObject KubeVirt/y: it is in the namespace "b"'],
    ],
    [
      'the policy of the namespace',
      platformOf(),
      protectionOf({ hasNamespacePolicy: true }),
      ['note Namespace Namespace/kubevirt: a policy refuses to delete it'],
    ],
    [
      'OLM',
      platformOf(),
      protectionOf({
        serviceVersions: [{ metadata: { name: 'hco.v1', annotations: { 'console.openshift.io/disable-operand-delete': 'true' } } }],
      }),
      ['note Console ClusterServiceVersion/hco.v1: its annotation', 'note OLM ClusterServiceVersion/hco.v1: the Operator Lifecycle'],
    ],
  ]
  for (const [name, platform, protection, wanted] of rows) {
    test(name, () => {
      const found = explain(platform, protection)
      const lines = found.map(({ effect, layer, object, reason }) => `${effect} ${layer} ${object}: ${reason}`)
      assert.equal(lines.length, wanted.length, lines.join('\n'))
      wanted.forEach((start, index) => assert.ok(lines[index]?.startsWith(start), `${lines[index]}\nis not\n${start}`))
      assert.ok(found.every(({ remedy }) => remedy !== ''))
    })
  }
})

suite('decideUninstallation()', () => {
  const part = (title: string, stage: InstalledObject['stage'], more: object = {}, owner?: string): InstalledObject => {
    const [kind = '', name = ''] = title.split('/')
    return { title, resource: resourceOf(kind), object: { metadata: { name, ...more } }, stage, owner }
  }
  const registration = part('ValidatingWebhookConfiguration/hyperconverged-operator-validator', 1)
  const parts = [
    part('Deployment/virt-operator', 0),
    part('Deployment/hyperconverged-operator', 0),
    registration,
    part('ClusterRole/virt', 1),
    part('CustomResourceDefinition/hyperconvergeds.hco.kubevirt.io', 2),
    part('CustomResourceDefinition/kubevirts.kubevirt.io', 2),
  ]
  const cdi: PlatformObject = { ...kubevirt(), title: 'CDI/cdi', resource: resourceOf('CDI'), stage: 1 }
  const gone = { hyperconverged: undefined, components: [] }
  const without = ['virt-operator'] as const
  const titlesOf = (step: UninstallStep): readonly string[] => {
    switch (step.do) {
      case 'delete':
        return step.objects.map(({ title }) => title)
      case 'wait':
        return step.titles
      case 'finish':
        return step.left.map(({ title }) => title)
      case 'release':
      case 'stopConversion':
      case 'teardown':
        return []
    }
  }
  const rows: readonly (readonly [string, Platform, readonly InstalledObject[], string])[] = [
    ['HyperConverged first', platformOf(), parts, 'delete HyperConverged/kubevirt-hyperconverged'],
    ['which its operator removes', platformOf({ hyperconverged: hco(going) }), parts, 'wait HyperConverged/kubevirt-hyperconverged'],
    ['webhooks of an operator that is gone', platformOf({ running: without }), parts, `delete ${registration.title}`],
    ['then the conversion', platformOf({ running: without, converted }), [], 'stopConversion'],
    ['an operator that runs still converts', platformOf({ converted }), [], 'delete HyperConverged/kubevirt-hyperconverged'],
    ['then the object', platformOf({ running: without }), [], 'delete HyperConverged/kubevirt-hyperconverged'],
    ['then the work of that operator', platformOf({ running: without, hyperconverged: hco(going) }), [], 'teardown'],
    [
      'components without such an object, in order',
      platformOf({ hyperconverged: undefined, components: [kubevirt(), cdi] }),
      parts,
      'delete KubeVirt/kubevirt',
    ],
    ['each is awaited', platformOf({ hyperconverged: undefined, components: [kubevirt('', going), cdi] }), parts, 'wait KubeVirt/kubevirt'],
    ['the operators', platformOf(gone), parts, 'delete Deployment/virt-operator Deployment/hyperconverged-operator'],
    ['their pods are awaited', platformOf(gone), [part('Pod/virt-operator-x', 0), registration], 'wait Pod/virt-operator-x'],
    ['what they registered', platformOf(gone), parts.slice(2), `delete ${registration.title} ClusterRole/virt`],
    [
      'CRDs last',
      platformOf(gone),
      parts.slice(4),
      'delete CustomResourceDefinition/hyperconvergeds.hco.kubevirt.io CustomResourceDefinition/kubevirts.kubevirt.io',
    ],
    [
      'the CRD of another installation stays',
      platformOf({ ...gone, otherKubeVirts: [hco()] }),
      parts.slice(4),
      'delete CustomResourceDefinition/hyperconvergeds.hco.kubevirt.io',
    ],
    [
      'on one machine, only what was added to it',
      platformOf({ ...gone, isMachine: true }),
      parts.slice(3),
      'delete CustomResourceDefinition/hyperconvergeds.hco.kubevirt.io',
    ],
    [
      'parts of other tools stay, with their pods',
      platformOf(gone),
      [part('Deployment/virt-operator', 0, {}, 'Helm'), part('Pod/p', 0, { labels: { 'kubevirt.io': 'virt-operator' } })],
      'finish Deployment/virt-operator Pod/p',
    ],
    ['nothing', platformOf(gone), [], 'finish'],
  ]
  for (const [name, platform, installed, wanted] of rows) {
    test(name, () => {
      const step = decideUninstallation(platform, installed, 'all')
      assert.equal([step.do, ...titlesOf(step)].join(' '), wanted)
    })
  }

  const keeping: typeof rows = [
    ['the operator first', platformOf(), parts, 'delete Deployment/hyperconverged-operator'],
    ['then its webhooks', platformOf(), parts.slice(2), `delete ${registration.title}`],
    ['then the conversion', platformOf({ converted }), parts.slice(3), 'stopConversion'],
    ['then the finalizer', platformOf(), parts.slice(3), 'release'],
    ['then the object', platformOf({ hyperconverged: hco({ finalizers: [] }) }), [], 'delete HyperConverged/kubevirt-hyperconverged'],
    [
      'then its CRD, and no component',
      platformOf({ hyperconverged: undefined }),
      parts.slice(3),
      'delete CustomResourceDefinition/hyperconvergeds.hco.kubevirt.io',
    ],
  ]
  for (const [name, platform, installed, wanted] of keeping) {
    test(`components that stay: ${name}`, () => {
      const step = decideUninstallation(platform, installed, 'hyperconverged')
      assert.equal([step.do, ...titlesOf(step)].join(' '), wanted)
    })
  }
})
