import { Float, ID, Int, ObjectType } from 'type-graphql';
import { column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { field, list, output } from '../../../platform/fields/index.ts';
import { CursorPageOf, cursorArguments } from '../../../platform/lists/index.ts';

@ObjectType({ description: 'A file that was uploaded as a source for jobs or for an import.' })
@Table('catalog.files')
export class UploadedFile extends columns(Owned, {
  name: column('string', { length: 255, description: 'As the client sent it.' }),
  mime: column('text', 'Media type.'),
  bytes: column('count', 'Size in bytes.'),
  /** False until a mutation has read the file. */
  ready: hidden('boolean'),
  createdById: hidden('uuid'),
  createdAt: column('datetime'),
}) {}

@ObjectType({ description: 'Why a file was rejected.' })
class FileError extends output({
  fileName: field(String, 'As the client sent it.'),
  error: field(String, 'Readable reason.'),
}) {}

@ObjectType({ description: 'The result of an upload. Each file is accepted or rejected independently.' })
export class UploadedFiles extends output({
  success: field(Boolean, 'Whether all files were accepted.'),
  uploadedFileIds: list(ID, 'The accepted files, for the `uploadedFileIds` of a job.'),
  // Maximum number of files per upload.
  errors: list(FileError, { nullable: true, assumedSize: 20, description: 'Null if all files were accepted.' }),
}) {}

@ObjectType({ description: 'One page of uploaded files.' })
export class UploadedFilePage extends CursorPageOf(UploadedFile, 'UploadedFilePage') {}

@ObjectType({ description: 'The storage that the uploaded files of an organization take.' })
export class FileStorage extends output({
  bytes: field(Float, 'Bytes of the files and of the text read from them.'),
  limit: field(Float, 'Maximum of `bytes`. Uploads beyond it fail with `LIMIT_REACHED`.'),
  retentionDays: field(
    Int,
    'Days after which a file is deleted, counted from the end of the last job that used it, or else its upload.',
  ),
}) {}

export class UploadedFilesArguments extends cursorArguments(20) {}
