import { applyManifest } from './apply-manifest/task.ts'
import { diskUploader } from './on-disks/disk-uploader/task.ts'
import { diskVirtCustomize, diskVirtSysprep } from './on-disks/disk-virt/disk-virt-task.ts'
import { modifyDataObject } from './on-disks/modify-data-object/task.ts'
import { modifyWindowsIsoFile } from './on-disks/modify-windows-iso-file/task.ts'
import { cleanupVm } from './on-vms/cleanup-vm/task.ts'
import { createVmFromManifest } from './on-vms/create-vm-from-manifest/task.ts'
import { executeInVm } from './on-vms/execute-in-vm/task.ts'
import { generateSshKeys } from './on-vms/generate-ssh-keys/task.ts'
import { waitForVmiStatus } from './on-vms/wait-for-vmi-status/task.ts'
import type { TaskDefinition } from './task.ts'

/** All tasks, by name. */
export const tasks: readonly TaskDefinition[] = [
  applyManifest,
  cleanupVm,
  createVmFromManifest,
  diskUploader,
  diskVirtCustomize,
  diskVirtSysprep,
  executeInVm,
  generateSshKeys,
  modifyDataObject,
  modifyWindowsIsoFile,
  waitForVmiStatus,
]
