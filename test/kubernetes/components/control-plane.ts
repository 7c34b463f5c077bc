import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { componentNamespace } from '#api/access/component-users.ts'
import type { Host, Program } from '../host/host.ts'
import { clusterDomain, controlPlaneAddress, serviceNetwork } from '../host/network.ts'
import type { Folders, Settings } from '../settings.ts'
import { credentialPath } from './credentials.ts'

/** Returns etcd and the API server, which needs it. */
export function storeAndApiServer(host: Host, folders: Folders, { features }: Settings): readonly Program[] {
  const pki = (name: string): string => credentialPath(folders, name)
  const [client, peer] = ['http://127.0.0.1:2379', 'http://127.0.0.1:2380']
  mkdirSync(join(host.folder, 'var', 'lib', 'etcd'), { recursive: true, mode: 0o700 })
  return [
    {
      name: 'etcd',
      flags: {
        'data-dir': '/var/lib/etcd',
        'log-level': 'warn',
        'listen-client-urls': client,
        'advertise-client-urls': client,
        'listen-peer-urls': peer,
        'initial-advertise-peer-urls': peer,
        'initial-cluster': `default=${peer}`,
      },
    },
    {
      name: 'kube-apiserver',
      flags: {
        'etcd-servers': client,
        'advertise-address': controlPlaneAddress,
        'secure-port': '6443',
        'service-cluster-ip-range': serviceNetwork,
        'allow-privileged': 'true',
        // Webhooks are called at addresses of pods: those of services need a node that forwards.
        'enable-aggregator-routing': 'true',
        'authorization-mode': 'Node,RBAC',
        'enable-admission-plugins': 'NodeRestriction',
        'tls-cert-file': pki('apiserver.crt'),
        'tls-private-key-file': pki('apiserver.key'),
        'client-ca-file': pki('ca.crt'),
        'kubelet-certificate-authority': pki('ca.crt'),
        'kubelet-client-certificate': pki('apiserver-to-kubelet.crt'),
        'kubelet-client-key': pki('apiserver-to-kubelet.key'),
        'kubelet-preferred-address-types': 'InternalIP',
        'service-account-issuer': 'https://kubernetes.default.svc',
        'service-account-key-file': pki('service-accounts.pub'),
        'service-account-signing-key-file': pki('service-accounts.key'),
        'requestheader-client-ca-file': pki('front-proxy-ca.crt'),
        'requestheader-allowed-names': 'front-proxy-client',
        'requestheader-username-headers': 'X-Remote-User',
        'requestheader-group-headers': 'X-Remote-Group',
        'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
        'proxy-client-cert-file': pki('front-proxy.crt'),
        'proxy-client-key-file': pki('front-proxy.key'),
        'feature-gates': features,
        'audit-policy-file': auditPolicy(folders),
        'audit-log-path': auditLogPath(folders),
      },
    },
  ]
}

/**
 * Path of the audit log: one line of JSON for each request of steadyvm's components and of users;
 * not of Kubernetes' own.
 */
export function auditLogPath({ home }: Folders): string {
  return join(home, 'audit.log')
}

/** Writes the audit policy, and returns its path. */
function auditPolicy({ home }: Folders): string {
  const path = join(home, 'audit-policy.json')
  const own = ['controller-manager', 'scheduler', 'provisioner', 'proxy'].map((name) => `system:kube-${name}`)
  const rules = [
    { level: 'Metadata', userGroups: [`system:serviceaccounts:${componentNamespace}`] },
    { level: 'None', users: ['system:apiserver', ...own] },
    { level: 'None', userGroups: ['system:nodes', 'system:serviceaccounts:kube-system'] },
    { level: 'Metadata' },
  ]
  writeFileSync(path, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules }))
  return path
}

/** Name of the process that makes volumes. */
export const provisionerProgram = 'provisioner'

/** Returns controller manager, scheduler and provisioner, which need the API server. */
export function controllers(folders: Folders): readonly Program[] {
  const pki = (name: string): string => credentialPath(folders, name)
  const access = (user: string): Program['flags'] => ({
    kubeconfig: pki(`${user}.kubeconfig`),
    'authentication-kubeconfig': pki(`${user}.kubeconfig`),
    'authorization-kubeconfig': pki(`${user}.kubeconfig`),
    'bind-address': '127.0.0.1',
  })
  return [
    {
      name: 'kube-controller-manager',
      flags: {
        ...access('controller-manager'),
        'use-service-account-credentials': 'true',
        'service-account-private-key-file': pki('service-accounts.key'),
        'root-ca-file': pki('ca.crt'),
        'cluster-signing-cert-file': pki('ca.crt'),
        'cluster-signing-key-file': pki('ca.key'),
      },
    },
    { name: 'kube-scheduler', flags: access('scheduler') },
    {
      name: provisionerProgram,
      flags: {},
      command: [
        process.execPath,
        join(import.meta.dirname, '..', 'storage', 'run-provisioner.ts'),
        folders.home,
        folders.programs,
        pki('provisioner.kubeconfig'),
      ],
    },
  ]
}

/** Returns the DNS server of the cluster, which knows Services and pods, and nothing outside. */
export function clusterDns(host: Host, folders: Folders): Program {
  const configuration = join(host.folder, 'Corefile')
  writeFileSync(
    configuration,
    `${clusterDomain} in-addr.arpa {
  bind ${controlPlaneAddress}
  errors
  kubernetes {
    kubeconfig ${credentialPath(folders, 'admin.kubeconfig')}
    pods insecure
  }
}
`,
  )
  return { name: 'coredns', flags: { conf: configuration } }
}

/** Returns the file that is /etc/resolv.conf of programs in the cluster's network. */
export function resolverOf({ home }: Folders): string {
  return join(home, 'resolv.conf')
}

/** Writes the file by which programs in the cluster's network ask its DNS server. */
export function writeResolver(folders: Folders): void {
  const lines = [`search svc.${clusterDomain} ${clusterDomain}`, `nameserver ${controlPlaneAddress}`, 'options ndots:5', '']
  writeFileSync(resolverOf(folders), lines.join('\n'))
}
