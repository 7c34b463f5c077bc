import protobuf, { type IMapField, type Type } from 'protobufjs'

/**
 * Messages of the Container Storage Interface 1, of the kubelet's plugin registration and of its
 * device plugins, as far as ephemeral volumes and devices need them. Fields and numbers are those
 * of csi.proto and of the kubelet's `pluginregistration/v1/api.proto` and
 * `deviceplugin/v1beta1/api.proto`; unknown fields are skipped.
 */
const root = protobuf.Root.fromJSON({
  nested: {
    Empty: { fields: {} },
    BoolValue: { fields: { value: { type: 'bool', id: 1 } } },
    PluginInfo: {
      fields: {
        type: { type: 'string', id: 1 },
        name: { type: 'string', id: 2 },
        endpoint: { type: 'string', id: 3 },
        supportedVersions: { rule: 'repeated', type: 'string', id: 4 },
      },
    },
    RegistrationStatus: { fields: { pluginRegistered: { type: 'bool', id: 1 }, error: { type: 'string', id: 2 } } },
    GetPluginInfoResponse: { fields: { name: { type: 'string', id: 1 }, vendorVersion: { type: 'string', id: 2 } } },
    ProbeResponse: { fields: { ready: { type: 'BoolValue', id: 1 } } },
    NodeGetInfoResponse: { fields: { nodeId: { type: 'string', id: 1 } } },
    NodePublishVolumeRequest: {
      fields: {
        volumeId: { type: 'string', id: 1 },
        targetPath: { type: 'string', id: 4 },
        volumeContext: { keyType: 'string', type: 'string', id: 8 } as IMapField,
      },
    },
    DevicePluginOptions: { fields: { preStartRequired: { type: 'bool', id: 1 } } },
    RegisterRequest: {
      fields: {
        version: { type: 'string', id: 1 },
        endpoint: { type: 'string', id: 2 },
        resourceName: { type: 'string', id: 3 },
        options: { type: 'DevicePluginOptions', id: 4 },
      },
    },
    Device: { fields: { ID: { type: 'string', id: 1 }, health: { type: 'string', id: 2 } } },
    ListAndWatchResponse: { fields: { devices: { rule: 'repeated', type: 'Device', id: 1 } } },
    ContainerAllocateRequest: { fields: { devicesIds: { rule: 'repeated', type: 'string', id: 1 } } },
    AllocateRequest: { fields: { containerRequests: { rule: 'repeated', type: 'ContainerAllocateRequest', id: 1 } } },
    DeviceSpec: {
      fields: {
        containerPath: { type: 'string', id: 1 },
        hostPath: { type: 'string', id: 2 },
        permissions: { type: 'string', id: 3 },
      },
    },
    ContainerAllocateResponse: { fields: { devices: { rule: 'repeated', type: 'DeviceSpec', id: 3 } } },
    AllocateResponse: { fields: { containerResponses: { rule: 'repeated', type: 'ContainerAllocateResponse', id: 1 } } },
    NodeUnpublishVolumeRequest: { fields: { volumeId: { type: 'string', id: 1 }, targetPath: { type: 'string', id: 2 } } },
  },
})

/** Message types by name. */
export function messageType(name: string): Type {
  return root.lookupType(name)
}
