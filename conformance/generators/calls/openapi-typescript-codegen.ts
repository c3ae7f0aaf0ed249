import { OpenAPI, PeopleService } from '../out/openapi-typescript-codegen/service/index.js';

OpenAPI.BASE = process.env['URL']!;
OpenAPI.TOKEN = process.env['KEY']!;
const page = await PeopleService.listUsers({ limit: 1 });
const id: number = page.data[0]!.id;
console.log(id);
