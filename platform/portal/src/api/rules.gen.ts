// Made from openapi.json by `npm run client`; edits are lost.

export const RULES = {
  "TrainingCreate": {
    "code_directory": {
      "required": false,
      "pattern": "^[^\\x00-\\x1f]*$",
      "maxLength": 1024
    },
    "command_line": {
      "required": false,
      "pattern": "^[^\\x00]*$",
      "maxLength": 8192
    },
    "description": {
      "required": false,
      "maxLength": 2000
    },
    "device_type": {
      "required": false,
      "minLength": 1,
      "maxLength": 63
    },
    "devices": {
      "required": false,
      "minimum": 0,
      "maximum": 64
    },
    "distributed": {
      "required": false
    },
    "framework": {
      "required": false,
      "minLength": 1,
      "maxLength": 63
    },
    "image": {
      "required": false,
      "minLength": 1,
      "maxLength": 512
    },
    "limits": {
      "required": false
    },
    "name": {
      "required": true,
      "pattern": "^[A-Za-z0-9_]+$",
      "minLength": 1,
      "maxLength": 64
    },
    "nodes": {
      "required": false,
      "minimum": 1,
      "maximum": 512
    },
    "output_directory": {
      "required": false,
      "pattern": "^[^\\x00-\\x1f]*$",
      "maxLength": 1024
    },
    "parameters": {
      "required": false,
      "maxItems": 200
    },
    "start_file": {
      "required": false,
      "pattern": "^[^\\x00-\\x1f]+\\.py$",
      "maxLength": 512
    },
    "virtual_cluster": {
      "required": true,
      "minLength": 1,
      "maxLength": 63
    }
  },
  "Parameter": {
    "name": {
      "required": true,
      "pattern": "^[A-Za-z_][A-Za-z0-9_.-]*$",
      "maxLength": 128
    },
    "value": {
      "required": false,
      "pattern": "^[^\\x00]*$",
      "maxLength": 4096
    }
  },
  "SignIn": {
    "name": {
      "required": true,
      "minLength": 1,
      "maxLength": 64
    },
    "password": {
      "required": true,
      "minLength": 1,
      "maxLength": 256
    }
  },
  "PasswordChange": {
    "current_password": {
      "required": true,
      "minLength": 1,
      "maxLength": 256
    },
    "new_password": {
      "required": true,
      "minLength": 10,
      "maxLength": 256
    }
  }
} as const;
