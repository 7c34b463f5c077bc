import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PodPart } from './check.ts'
import { describeViolations, violationsOf } from './evaluate.ts'
import type { Level } from './policy.ts'

/** A container that the restricted standard allows. */
const safe = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
}

function pod(spec: object = {}, annotations: Record<string, string> = {}): PodPart {
  return {
    metadata: { annotations },
    spec: { containers: [{ name: 'c', image: 'i', securityContext: safe }], ...spec },
  } as unknown as PodPart
}
/** A pod with containers a, b … of these security contexts. */
function contexts(...each: readonly (object | undefined)[]): PodPart {
  return pod({ containers: each.map((securityContext, index) => ({ name: 'abcdef'[index], image: 'i', securityContext })) })
}
const inPod = (securityContext: object): PodPart => pod({ securityContext })
function found(part: PodPart, level: Level, version = 'latest'): string {
  return describeViolations(violationsOf(part, { level, version }))
}

suite('baseline', () => {
  for (const [name, part, expected, version] of [
    ['allows a plain pod', pod(), ''],
    ['allows default capabilities', contexts({ capabilities: { add: ['CHOWN', 'NET_BIND_SERVICE'] } }), ''],
    [
      'forbids other capabilities',
      contexts({ capabilities: { add: ['SYS_ADMIN', 'CHOWN'] } }, { capabilities: { add: ['NET_RAW'] } }),
      'non-default capabilities (containers "a", "b" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    [
      'forbids namespaces of the node',
      pod({ hostNetwork: true, hostPID: true, hostIPC: true }),
      'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)',
    ],
    ['allows those fields as false', pod({ hostNetwork: false }), ''],
    [
      'forbids files of the node',
      pod({
        volumes: [
          { name: 'v', hostPath: { path: '/' } },
          { name: 'w', hostPath: { path: '/' } },
          { name: 'x', emptyDir: {} },
        ],
      }),
      'hostPath volumes (volumes "v", "w")',
    ],
    [
      'forbids a port of the node',
      pod({ containers: [{ name: 'a', ports: [{ containerPort: 1 }, { hostPort: 20 }] }] }),
      'hostPort (container "a" uses hostPort 20)',
    ],
    [
      'forbids ports of the node',
      pod({ containers: [{ name: 'a', ports: [{ hostPort: 20 }] }], initContainers: [{ name: 'i', ports: [{ hostPort: 10 }] }] }),
      'hostPort (containers "i", "a" use hostPorts 10, 20)',
    ],
    [
      'forbids privileged containers',
      contexts({ privileged: true }, { privileged: false }, {}),
      'privileged (container "a" must not set securityContext.privileged=true)',
    ],
    [
      'looks at ephemeral containers',
      pod({ ephemeralContainers: [{ name: 'e', securityContext: { privileged: true } }] }),
      'privileged (container "e" must not set securityContext.privileged=true)',
    ],
    [
      'forbids unmasked /proc',
      contexts({ procMount: 'Default' }, { procMount: 'Unmasked' }),
      'procMount (container "b" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      'allows SELinux types of containers',
      contexts({ seLinuxOptions: { type: 'container_t', level: 's0' } }, { seLinuxOptions: { type: 'container_engine_t' } }),
      '',
    ],
    [
      'knows since when a type is allowed',
      contexts({ seLinuxOptions: { type: 'container_engine_t' } }),
      'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
      'v1.30',
    ],
    [
      'forbids SELinux user, role and other types',
      pod({
        securityContext: { seLinuxOptions: { type: 'foo', user: 'u' } },
        containers: [{ name: 'e', securityContext: { seLinuxOptions: { type: 'bar', role: 'r' } } }],
      }),
      'seLinuxOptions (pod and container "e" set forbidden securityContext.seLinuxOptions: types "bar", "foo"; user may not be set; role may not be set)',
    ],
    [
      'forbids an unconfined seccomp profile',
      pod({
        securityContext: { seccompProfile: { type: 'Unconfined' } },
        containers: [{ name: 'a', securityContext: { seccompProfile: { type: 'Unconfined' } } }],
      }),
      'seccompProfile (pod and container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    ['does not require a seccomp profile', contexts({}), ''],
    [
      'forbids unsafe sysctls',
      inPod({
        sysctls: [
          { name: 'kernel.msgmax', value: '1' },
          { name: 'net.ipv4.tcp_rmem', value: '1' },
        ],
      }),
      'forbidden sysctls (kernel.msgmax)',
    ],
    [
      'knows since when a sysctl is safe',
      inPod({ sysctls: [{ name: 'net.ipv4.tcp_keepalive_time', value: '1' }] }),
      'forbidden sysctls (net.ipv4.tcp_keepalive_time)',
      'v1.28',
    ],
    [
      'forbids HostProcess containers',
      inPod({ windowsOptions: { hostProcess: true } }),
      'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
    ],
    [
      'forbids AppArmor types',
      contexts({ appArmorProfile: { type: 'Unconfined' } }, { appArmorProfile: { type: 'RuntimeDefault' } }),
      'forbidden AppArmor profile (container "a" must not set AppArmor profile type to "Unconfined")',
    ],
    [
      'forbids AppArmor annotations',
      pod(
        {},
        {
          'container.apparmor.security.beta.kubernetes.io/a': 'unconfined',
          'container.apparmor.security.beta.kubernetes.io/b': 'localhost/x',
          other: 'unconfined',
        },
      ),
      'forbidden AppArmor profile (container.apparmor.security.beta.kubernetes.io/a="unconfined")',
    ],
  ] as const) {
    test(name, () => assert.equal(found(part, 'baseline', version), expected))
  }
})

suite('restricted', () => {
  const escalation = 'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)'
  const capabilities = 'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"])'
  const nonRoot = 'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)'
  const seccomp = 'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")'
  const all = [escalation, capabilities, nonRoot, seccomp].join(', ')
  for (const [name, part, expected, version] of [
    ['allows a pod that follows it', pod(), ''],
    ['reports all that a plain container lacks', contexts({}), all],
    ['reports the same without a security context', contexts(undefined), all],
    ['includes baseline, which comes first', pod({ hostNetwork: true }), 'host namespaces (hostNetwork=true)'],
    [
      'reports volumes once, with their types',
      pod({ volumes: [{ name: 'v', hostPath: { path: '/' } }, { name: 'w', nfs: {} }, { name: 'x' }, { name: 'y', secret: {} }] }),
      'restricted volume types (volumes "v", "w", "x" use restricted volume types "hostPath", "nfs", "unknown")',
    ],
    [
      'reports one volume in the singular',
      pod({ volumes: [{ name: 'v', hostPath: { path: '/' } }] }),
      'restricted volume types (volume "v" uses restricted volume type "hostPath")',
    ],
    [
      'allows NET_BIND_SERVICE only',
      contexts(
        { ...safe, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } },
        { ...safe, capabilities: { drop: ['ALL'], add: ['CHOWN'] } },
      ),
      'unrestricted capabilities (container "b" must not include "CHOWN" in securityContext.capabilities.add)',
    ],
    [
      'reports capabilities that are kept and added together',
      contexts({ ...safe, capabilities: { add: ['SYS_ADMIN'] } }),
      'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    [
      'lets the pod say runAsNonRoot',
      pod({ securityContext: { runAsNonRoot: true }, containers: [{ name: 'a', securityContext: { ...safe, runAsNonRoot: undefined } }] }),
      '',
    ],
    [
      'forbids a container that contradicts',
      pod({ securityContext: { runAsNonRoot: true }, containers: [{ name: 'a', securityContext: { ...safe, runAsNonRoot: false } }] }),
      'runAsNonRoot != true (container "a" must not set securityContext.runAsNonRoot=false)',
    ],
    [
      'forbids runAsNonRoot=false of the pod',
      pod({ securityContext: { runAsNonRoot: false } }),
      'runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)',
    ],
    [
      'forbids user 0',
      pod({ securityContext: { runAsUser: 0 }, containers: [{ name: 'a', securityContext: { ...safe, runAsUser: 0 } }] }),
      'runAsUser=0 (pod and container "a" must not set runAsUser=0)',
    ],
    ['allowed user 0 before 1.23', inPod({ runAsUser: 0 }), '', 'v1.22'],
    ['allows other users', inPod({ runAsUser: 1 }), ''],
    [
      'lets the pod name the seccomp profile',
      pod({
        securityContext: { seccompProfile: { type: 'Localhost' } },
        containers: [{ name: 'a', securityContext: { ...safe, seccompProfile: undefined } }],
      }),
      '',
    ],
    [
      'reports a forbidden seccomp profile once',
      contexts({ ...safe, seccompProfile: { type: 'Unconfined' } }),
      'seccompProfile (container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'spares Windows pods the rules about Linux',
      pod({ os: { name: 'windows' }, containers: [{ name: 'a', securityContext: { runAsNonRoot: true } }] }),
      '',
    ],
    [
      'did not before 1.25',
      pod({ os: { name: 'windows' }, securityContext: { runAsNonRoot: true }, containers: [{ name: 'a' }] }),
      [escalation, capabilities, seccomp].join(', '),
      'v1.24',
    ],
    [
      'has the baseline rule before its own was introduced',
      contexts({ ...safe, capabilities: { add: ['SYS_ADMIN'] } }),
      'non-default capabilities (container "a" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
      'v1.21',
    ],
  ] as const) {
    test(name, () => assert.equal(found(part, 'restricted', version), expected))
  }
})

test('privileged allows everything', () => assert.equal(found(pod({ hostNetwork: true, hostPID: true }), 'privileged'), ''))
