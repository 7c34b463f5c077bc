import type { PolicyRule } from '#api/rbac/v1/role.ts'
import type { TaskParameter, TaskVolume } from '../../task.ts'
import { connectionSecretFolder, noSecret } from './connection-secret.ts'

/** Parameters that name a VM. */
export const vmParameters: readonly TaskParameter[] = [
  { name: 'vmName', type: 'string', environment: 'VM_NAME', description: 'Name of the VM' },
  {
    name: 'vmNamespace',
    type: 'string',
    environment: 'VM_NAMESPACE',
    default: '',
    description: 'Namespace of the VM (default: that of the pod)',
  },
]

/** Parameters of a script that runs in a guest. */
export const scriptParameters: readonly TaskParameter[] = [
  {
    name: 'secretName',
    type: 'string',
    environment: 'CONNECTION_SECRET_NAME',
    default: noSecret,
    description: 'Secret to connect to the guest with, in the namespace of the pod',
  },
  { name: 'command', type: 'array', default: [], description: 'Command to run in the guest; a shell of the guest reads it' },
  { name: 'args', type: 'array', default: [], description: 'Further words of the command' },
  { name: 'script', type: 'string', environment: 'EXECUTE_SCRIPT', default: '', description: 'Script to run in the guest' },
  {
    name: 'startTimeout',
    type: 'string',
    environment: 'START_TIMEOUT',
    default: '30m',
    description: 'How long the guest may take to start and to serve SSH. An addition to upstream',
  },
]

/** The connection secret as a volume. */
export const connectionVolume: TaskVolume = {
  name: 'connectionsecret',
  mountPath: `${connectionSecretFolder}/`,
  readOnly: true,
  source: { secret: { secretName: '$(params.secretName)', optional: true } },
}

/** Rights to start a VM and to reach its guest. */
export const guestRules: readonly PolicyRule[] = [
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachines', 'virtualmachineinstances'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['subresources.kubevirt.io'], resources: ['virtualmachines/start'], verbs: ['update'] },
  { apiGroups: ['subresources.kubevirt.io'], resources: ['virtualmachineinstances/portforward'], verbs: ['get'] },
]
