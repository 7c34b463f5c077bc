import { applyManifest } from './apply-manifest/task.ts'
import { cleanupVm } from './cleanup-vm/task.ts'
import { createVmFromManifest } from './create-vm-from-manifest/task.ts'
import { diskUploader } from './disk-uploader/task.ts'
import { diskVirtCustomize, diskVirtSysprep } from './disk-virt/disk-virt-task.ts'
import { executeInVm } from './execute-in-vm/task.ts'
import { generateSshKeys } from './generate-ssh-keys/task.ts'
import { modifyDataObject } from './modify-data-object/task.ts'
import { modifyWindowsIsoFile } from './modify-windows-iso-file/task.ts'
import type { TaskDefinition } from './task.ts'
import { waitForVmiStatus } from './wait-for-vmi-status/task.ts'

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
