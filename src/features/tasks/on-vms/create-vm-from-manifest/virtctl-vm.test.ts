import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { TaskFailed } from '../../exit-codes.ts'
import { virtctlVm } from './virtctl-vm.ts'

/** What a test compares: the VM without what all have. */
function made(words: string): unknown {
  const { metadata, spec } = virtctlVm(words.split(' '), 'vm-abcde')
  const { template, ...rest } = spec
  const {
    domain,
    volumes,
    terminationGracePeriodSeconds: grace,
  } = template.spec as {
    readonly domain: { readonly memory?: object; readonly devices: { readonly disks: unknown } }
    readonly volumes: unknown
    readonly terminationGracePeriodSeconds: number
  }
  return { name: metadata.name, ...rest, memory: domain.memory, disks: domain.devices.disks, volumes, grace }
}

const plain = { name: 'a', runStrategy: 'Always', memory: { guest: '512Mi' }, disks: [], volumes: [], grace: 180 }
const boot = { inferFromVolume: 'root', inferFromVolumeFailurePolicy: 'Ignore' }
const claim = { name: 'root', persistentVolumeClaim: { claimName: 'disk' } }

suite('virtctlVm()', () => {
  for (const [words, expected] of [
    ['--name a', plain],
    ['--memory=1Gi', { ...plain, name: 'vm-abcde', memory: { guest: '1Gi' } }],
    [
      '--name a --instancetype u1.small --preference virtualmachinepreference/fedora --run-strategy Halted --termination-grace-period 5',
      {
        ...plain,
        runStrategy: 'Halted',
        grace: 5,
        memory: undefined,
        instancetype: { name: 'u1.small' },
        preference: { name: 'fedora', kind: 'virtualmachinepreference' },
      },
    ],
    [
      '--name a --volume-containerdisk src:disk:v1',
      { ...plain, volumes: [{ name: 'a-containerdisk-0', containerDisk: { image: 'disk:v1' } }] },
    ],
    ['--name a --volume-pvc src:disk,name:root', { ...plain, volumes: [claim], instancetype: boot, preference: boot }],
    [
      '--name a --volume-pvc src:disk,name:root,bootorder:1 --infer-instancetype --infer-preference=false',
      {
        ...plain,
        memory: undefined,
        volumes: [claim],
        disks: [{ name: 'root', bootOrder: 1, disk: {} }],
        instancetype: { inferFromVolume: 'root' },
      },
    ],
    ['--name a --volume-pvc src:disk,name:root --memory 2Gi', { ...plain, memory: { guest: '2Gi' }, volumes: [claim], preference: boot }],
    [
      '--name a --volume-import type:ds,src:images/fedora,name:root,size:5Gi',
      {
        ...plain,
        instancetype: boot,
        preference: boot,
        volumes: [{ name: 'root', dataVolume: { name: 'root' } }],
        dataVolumeTemplates: [
          {
            metadata: { name: 'root' },
            spec: {
              sourceRef: { kind: 'DataSource', namespace: 'images', name: 'fedora' },
              storage: { resources: { requests: { storage: '5Gi' } } },
            },
          },
        ],
      },
    ],
    [
      '--name a --volume-import type:blank,size:1Gi,name:root --volume-sysprep src:unattend --cloud-init-user-data I2Nsb3Vk',
      {
        ...plain,
        volumes: [
          { name: 'root', dataVolume: { name: 'root' } },
          { name: 'sysprepdisk', sysprep: { configMap: { name: 'unattend' } } },
          { name: 'cloudinitdisk', cloudInitNoCloud: { userDataBase64: 'I2Nsb3Vk' } },
        ],
        dataVolumeTemplates: [
          { metadata: { name: 'root' }, spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '1Gi' } } } } },
        ],
      },
    ],
    ...(
      [
        ['http,url:https://a/b,size:1Gi', { http: { url: 'https://a/b' } }],
        ['registry,url:docker://a/b:c,size:1Gi', { registry: { url: 'docker://a/b:c' } }],
        ['pvc,src:ns/disk,size:1Gi', { pvc: { namespace: 'ns', name: 'disk' } }],
        ['snapshot,src:disk,size:1Gi', { snapshot: { name: 'disk' } }],
      ] as const
    ).map(
      ([text, source]) =>
        [
          `--name a --memory 512Mi --infer-preference=false --volume-import name:root,type:${text}`,
          {
            ...plain,
            volumes: [{ name: 'root', dataVolume: { name: 'root' } }],
            dataVolumeTemplates: [
              { metadata: { name: 'root' }, spec: { source, storage: { resources: { requests: { storage: '1Gi' } } } } },
            ],
          },
        ] as const,
    ),
  ] as const)
    test(words, () => assert.deepEqual(JSON.parse(JSON.stringify(made(words))), JSON.parse(JSON.stringify(expected))))

  for (const words of [
    '--name',
    'vm',
    '--ssh-key x',
    '--volume-datasource src:a',
    '--memory 1Gi --instancetype a',
    '--instancetype a --infer-instancetype',
    '--infer-instancetype',
    '--volume-pvc name:a',
    '--volume-pvc src:a,src:b',
    '--volume-pvc src:a,size:1Gi',
    '--volume-pvc src:a,bootorder:0',
    '--volume-import src:a',
    '--volume-import type:vddk,url:x,size:1Gi',
    '--volume-import type:http,size:1Gi',
    '--volume-import type:blank',
    '--volume-sysprep src:a,type:file',
    '--termination-grace-period soon',
  ])
    test(`refuses ${words}`, () => assert.throws(() => virtctlVm(words.split(' '), 'vm'), TaskFailed))
})
